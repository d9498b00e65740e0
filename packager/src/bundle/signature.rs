//! The classes that a generic signature names.

/// Internal names of the classes in a signature of a class, method or field. What is malformed ends it, as the JVM reads
/// signatures for reflection only.
pub(super) fn classes(signature: &str) -> Vec<String> {
    let mut reader = Reader { bytes: signature.as_bytes(), at: 0, found: Vec::new() };
    reader.all();
    reader.found
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    found: Vec<String>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn all(&mut self) -> Option<()> {
        if self.peek() == Some(b'<') {
            self.formals()?;
        }
        while let Some(byte) = self.peek() {
            if matches!(byte, b'(' | b')' | b'^') {
                self.at += 1;
            } else {
                self.one()?;
            }
        }
        Some(())
    }

    /// `<T:Bound:Bound…>`; the bound of a class may be empty.
    fn formals(&mut self) -> Option<()> {
        self.at += 1;
        while self.peek()? != b'>' {
            self.text(b":")?;
            while self.peek()? == b':' {
                self.at += 1;
                if matches!(self.peek()?, b'L' | b'[' | b'T') {
                    self.one()?;
                }
            }
        }
        self.at += 1;
        Some(())
    }

    /// One type.
    fn one(&mut self) -> Option<()> {
        while self.peek()? == b'[' {
            self.at += 1;
        }
        let kind = self.peek()?;
        self.at += 1;
        match kind {
            b'T' => {
                self.text(b";")?;
                self.at += 1;
            }
            b'L' => {
                let mut name = self.text(b"<;.")?;
                loop {
                    if self.peek()? == b'<' {
                        self.arguments()?;
                    }
                    match self.peek()? {
                        b'.' => {
                            self.at += 1;
                            name = format!("{name}${}", self.text(b"<;.")?);
                        }
                        b';' => break,
                        _ => return None,
                    }
                }
                self.at += 1;
                self.found.push(name);
            }
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b'V' => {}
            _ => return None,
        }
        Some(())
    }

    fn arguments(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'>' => break,
                b'*' | b'+' | b'-' => self.at += 1,
                _ => self.one()?,
            }
        }
        self.at += 1;
        Some(())
    }

    /// The text up to one of `ends`.
    fn text(&mut self, ends: &[u8]) -> Option<String> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| ends.contains(byte))?;
        self.at += length;
        std::str::from_utf8(&rest[..length]).ok().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_found() {
        for (signature, expected) in [
            ("Lo/A<+Lo/B;-[Lo/C;*TT;>.In<Lo/D;>;", &["o/B", "o/C", "o/D", "o/A$In"][..]),
            ("<T:Lo/A;:Lo/I<TT;>;U::Lo/J;>(TT;I[JLo/P;)Lo/R;^Lo/E;^TU;", &["o/A", "o/I", "o/J", "o/P", "o/R", "o/E"]),
            ("<K:Ljava/lang/Object;>Ljava/lang/Object;Lo/F<TK;>;", &["java/lang/Object", "java/lang/Object", "o/F"]),
            ("Lo/A<", &[]),
        ] {
            assert_eq!(classes(signature), expected, "{signature}");
        }
    }
}
