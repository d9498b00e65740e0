//! A loaded class in the form of a class file without code, for what looks at class files.

use jvm::Method;
use std::collections::HashMap;

const OBJECT: &[u8] = b"java/lang/Object";

/// Bytes of a class with this name, these supertypes (all as interfaces) and these methods; no attributes.
pub(super) fn outline(name: &[u8], supertypes: &[String], methods: &[Method]) -> Vec<u8> {
    let mut pool = Pool::default();
    let this = pool.class(name);
    let object = pool.class(OBJECT);
    let interfaces: Vec<u16> = supertypes.iter().map(|s| pool.class(s.as_bytes())).collect();
    let members: Vec<[u16; 3]> =
        methods.iter().map(|m| [m.access, pool.text(&m.name), pool.text(&m.descriptor)]).collect();

    let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52];
    let u2 = |value: u16, bytes: &mut Vec<u8>| bytes.extend(value.to_be_bytes());
    u2(pool.count + 1, &mut bytes);
    bytes.extend(&pool.bytes);
    for value in [0x0001, this, object, interfaces.len() as u16] {
        u2(value, &mut bytes);
    }
    for interface in interfaces {
        u2(interface, &mut bytes);
    }
    u2(0, &mut bytes);
    u2(members.len() as u16, &mut bytes);
    for [access, name, descriptor] in members {
        for value in [access, name, descriptor, 0] {
            u2(value, &mut bytes);
        }
    }
    u2(0, &mut bytes);
    bytes
}

#[derive(Default)]
struct Pool {
    bytes: Vec<u8>,
    /// Each text once, as in the class itself, whose own pool was not too large either.
    texts: HashMap<Vec<u8>, u16>,
    count: u16,
}

impl Pool {
    fn text(&mut self, text: &[u8]) -> u16 {
        if let Some(&index) = self.texts.get(text) {
            return index;
        }
        self.bytes.push(1);
        self.bytes.extend((text.len() as u16).to_be_bytes());
        self.bytes.extend(text);
        let index = self.next();
        self.texts.insert(text.to_vec(), index);
        index
    }

    fn class(&mut self, name: &[u8]) -> u16 {
        let text = self.text(name);
        self.bytes.push(7);
        self.bytes.extend(text.to_be_bytes());
        self.next()
    }

    fn next(&mut self) -> u16 {
        self.count += 1;
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::outline;
    use classfile::ClassFile;
    use jvm::Method;

    #[test]
    fn an_outline_is_a_class_file() {
        let method = Method { name: b"run".to_vec(), descriptor: b"()V".to_vec(), access: 1 };
        let bytes = outline(b"a/B", &["java/lang/Runnable".to_owned()], &[method]);
        let file = ClassFile::parse(&bytes).expect("a class file");
        assert_eq!(file.this_str(), Some("a/B"));
        assert_eq!(file.interfaces().collect::<Vec<_>>(), [b"java/lang/Runnable"]);
        let methods: Vec<_> = file.methods().map(|m| (m.name_str(), m.descriptor_str(), m.access)).collect();
        assert_eq!(methods, [(Some("run"), Some("()V"), 1)]);
    }
}
