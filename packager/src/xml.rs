//! Small XML documents of Maven as trees: its settings, the descriptions of artifacts and the metadata of repositories.

use std::io;

use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};

/// Elements deeper than this are refused: no document of Maven needs them, and a tree is left by recursion.
const DEPTH: usize = 64;

/// Why a text is no document.
#[derive(Debug, thiserror::Error)]
pub(crate) enum XmlError {
    #[error(transparent)]
    Syntax(#[from] quick_xml::Error),
    #[error("element is not closed: `{0}`")]
    Open(String),
    #[error("no element")]
    Empty,
    #[error("more than one element at the top")]
    Second,
    #[error("text outside of the element at the top")]
    Outside,
    #[error("unknown entity: `&{0};`")]
    Entity(String),
    #[error("more than {DEPTH} elements in each other")]
    Depth,
}

/// An element. Comments and processing instructions are not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Element {
    /// Name without its prefix.
    pub(crate) name: String,
    /// Attributes, with their values as they are written.
    attributes: Vec<(String, String)>,
    /// Text, without white space around it.
    pub(crate) text: String,
    /// Elements in it.
    pub(crate) children: Vec<Self>,
}

impl Element {
    /// An empty element.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// An element with text.
    pub(crate) fn with_text(name: &str, text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::new(name) }
    }

    /// Adds an attribute, whose value needs no escapes.
    pub(crate) fn attribute(mut self, name: &str, value: &str) -> Self {
        self.attributes.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds an element with text at the end.
    pub(crate) fn push(&mut self, name: &str, text: &str) {
        self.children.push(Self::with_text(name, text));
    }

    /// The first child of this name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Text of the first child of this name, where it has any.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str()).filter(|text| !text.is_empty())
    }

    /// The first child of this name, made at the end where there is none.
    pub(crate) fn child_mut(&mut self, name: &str) -> &mut Self {
        let at = self.children.iter().position(|child| child.name == name).unwrap_or_else(|| {
            self.children.push(Self::new(name));
            self.children.len() - 1
        });
        &mut self.children[at]
    }

    /// Gives the first child of this name this text.
    pub(crate) fn set(&mut self, name: &str, text: &str) {
        text.clone_into(&mut self.child_mut(name).text);
    }

    /// Reads a document.
    ///
    /// # Errors
    /// It is not well-formed, or holds an entity that only a document type would define.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, XmlError> {
        let mut reader = Reader::from_reader(bytes);
        let mut open: Vec<Self> = Vec::new();
        let mut root = None;
        loop {
            match reader.read_event()? {
                Event::Start(start) => {
                    if open.len() == DEPTH {
                        return Err(XmlError::Depth);
                    }
                    open.push(started(&start)?);
                }
                Event::Empty(start) => close(started(&start)?, &mut open, &mut root)?,
                Event::End(_) => {
                    if let Some(element) = open.pop() {
                        close(element, &mut open, &mut root)?;
                    }
                }
                Event::Text(text) => add(&mut open, &text.decode().map_err(quick_xml::Error::from)?)?,
                Event::CData(text) => add(&mut open, &text.decode().map_err(quick_xml::Error::from)?)?,
                Event::GeneralRef(reference) => {
                    let name = reference.decode().map_err(quick_xml::Error::from)?.into_owned();
                    match reference.resolve_char_ref()? {
                        Some(character) => add(&mut open, character.encode_utf8(&mut [0; 4]))?,
                        None => match quick_xml::escape::resolve_predefined_entity(&name) {
                            Some(text) => add(&mut open, text)?,
                            None => return Err(XmlError::Entity(name)),
                        },
                    }
                }
                Event::Eof => break,
                _ => {}
            }
        }
        match open.pop() {
            Some(element) => Err(XmlError::Open(element.name)),
            None => root.ok_or(XmlError::Empty),
        }
    }

    /// The document with this element at the top, indented by two spaces.
    ///
    /// # Errors
    /// None that memory does not give.
    pub(crate) fn to_document(&self) -> io::Result<Vec<u8>> {
        let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        self.write(&mut writer)?;
        let mut bytes = writer.into_inner();
        bytes.push(b'\n');
        Ok(bytes)
    }

    fn write(&self, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        let mut start = BytesStart::new(self.name.as_str());
        for (name, value) in &self.attributes {
            // As bytes, because the value is escaped already.
            start.push_attribute((name.as_bytes(), value.as_bytes()));
        }
        if self.text.is_empty() && self.children.is_empty() {
            return writer.write_event(Event::Empty(start));
        }
        writer.write_event(Event::Start(start))?;
        if !self.text.is_empty() {
            // No XML may hold control characters, not even escaped ones.
            let text: String = self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            writer.write_event(Event::Text(BytesText::new(&text)))?;
        }
        for child in &self.children {
            child.write(writer)?;
        }
        writer.write_event(Event::End(BytesEnd::new(self.name.as_str())))
    }
}

fn started(start: &BytesStart<'_>) -> Result<Element, XmlError> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut element = Element::new(&text(start.local_name().as_ref()));
    for attribute in start.attributes() {
        let attribute = attribute.map_err(quick_xml::Error::from)?;
        element.attributes.push((text(attribute.key.as_ref()), text(&attribute.value)));
    }
    Ok(element)
}

fn close(mut element: Element, open: &mut [Element], root: &mut Option<Element>) -> Result<(), XmlError> {
    let text = element.text.trim().to_owned();
    element.text = text;
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None if root.is_some() => return Err(XmlError::Second),
        None => *root = Some(element),
    }
    Ok(())
}

fn add(open: &mut [Element], text: &str) -> Result<(), XmlError> {
    match open.last_mut() {
        Some(element) => element.text.push_str(text),
        None if text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() => {}
        None => return Err(XmlError::Outside),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_come_back_as_they_were_written() {
        let mut root = Element::new("project").attribute("xmlns", "http://x/y");
        root.push("name", "a <b> & \"c\" ä");
        root.child_mut("license").push("url", "x");
        root.children.push(Element::new("empty"));
        let bytes = root.to_document().unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(
            text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<project xmlns=\"http://x/y\">\n  <name>"),
            "{text}"
        );
        assert_eq!(Element::parse(&bytes).unwrap(), root);
    }

    #[test]
    fn texts_that_are_none_are_refused() {
        for (text, message) in [
            ("", "no element"),
            ("<a><b></b>", "element is not closed: `a`"),
            ("<a/><b/>", "more than one element at the top"),
            ("x<a/>", "text outside of the element at the top"),
            ("<a>&b;</a>", "unknown entity: `&b;`"),
            (&"<a>".repeat(65), "more than 64 elements in each other"),
        ] {
            assert_eq!(Element::parse(text.as_bytes()).unwrap_err().to_string(), message, "{text}");
        }
        assert!(Element::parse(b"<a></b>").is_err());
    }
}
