//! A small assembler for classes that no compiler makes.

/// Builds one class.
pub(crate) struct Assembler {
    name: &'static str,
    major: u16,
    pool: Vec<u8>,
    count: u16,
    fields: Vec<u8>,
    field_count: u16,
    methods: Vec<u8>,
    method_count: u16,
}

/// A method to add; every field is public and static unless `access` says otherwise.
#[derive(Default)]
pub(crate) struct Body<'b> {
    pub(crate) access: u16,
    pub(crate) name: &'b str,
    pub(crate) descriptor: &'b str,
    pub(crate) stack: u16,
    pub(crate) locals: u16,
    pub(crate) code: Vec<u8>,
    /// Start, end, target and class.
    pub(crate) handlers: Vec<[u16; 4]>,
    /// Count and bytes of the `StackMapTable`.
    pub(crate) frames: (u16, Vec<u8>),
}

impl Assembler {
    pub(crate) fn new(name: &'static str, major: u16) -> Self {
        Self {
            name,
            major,
            pool: Vec::new(),
            count: 1,
            fields: Vec::new(),
            field_count: 0,
            methods: Vec::new(),
            method_count: 0,
        }
    }

    fn add(&mut self, tag: u8, parts: &[&[u8]]) -> u16 {
        self.pool.push(tag);
        for part in parts {
            self.pool.extend_from_slice(part);
        }
        self.count += 1;
        self.count - 1
    }

    pub(crate) fn utf8(&mut self, text: &str) -> u16 {
        self.add(1, &[&(text.len() as u16).to_be_bytes(), text.as_bytes()])
    }

    pub(crate) fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.add(7, &[&name.to_be_bytes()])
    }

    /// A field (tag 9) or method (tag 10) reference.
    pub(crate) fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let class = self.class(class);
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let both = self.add(12, &[&name.to_be_bytes(), &descriptor.to_be_bytes()]);
        self.add(tag, &[&class.to_be_bytes(), &both.to_be_bytes()])
    }

    pub(crate) fn field(&mut self, access: u16, name: &str, descriptor: &str) {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        for value in [access, name, descriptor, 0] {
            self.fields.extend(value.to_be_bytes());
        }
        self.field_count += 1;
    }

    pub(crate) fn method(&mut self, body: Body<'_>) {
        let (name, descriptor) = (self.utf8(body.name), self.utf8(body.descriptor));
        let code_name = self.utf8("Code");
        let mut code = Vec::new();
        code.extend(body.stack.to_be_bytes());
        code.extend(body.locals.to_be_bytes());
        code.extend((body.code.len() as u32).to_be_bytes());
        code.extend(body.code);
        code.extend((body.handlers.len() as u16).to_be_bytes());
        body.handlers.iter().flatten().for_each(|value| code.extend(value.to_be_bytes()));
        let (count, frames) = body.frames;
        if count > 0 {
            code.extend(1u16.to_be_bytes());
            code.extend(self.utf8("StackMapTable").to_be_bytes());
            code.extend((frames.len() as u32 + 2).to_be_bytes());
            code.extend(count.to_be_bytes());
            code.extend(frames);
        } else {
            code.extend(0u16.to_be_bytes());
        }
        for value in [body.access, name, descriptor, 1, code_name] {
            self.methods.extend(value.to_be_bytes());
        }
        self.methods.extend((code.len() as u32).to_be_bytes());
        self.methods.extend(code);
        self.method_count += 1;
    }

    pub(crate) fn build(mut self) -> Vec<u8> {
        let this = self.class(self.name);
        let object = self.class("java/lang/Object");
        let mut out = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0];
        out.extend(self.major.to_be_bytes());
        out.extend(self.count.to_be_bytes());
        out.extend(self.pool);
        for value in [0x21, this, object, 0, self.field_count] {
            out.extend(value.to_be_bytes());
        }
        out.extend(self.fields);
        out.extend(self.method_count.to_be_bytes());
        out.extend(self.methods);
        out.extend(0u16.to_be_bytes());
        out
    }
}

/// Concatenates opcodes and 16-bit operands.
#[macro_export]
macro_rules! code {
    ($($part:expr),* $(,)?) => {{
        let mut code: Vec<u8> = Vec::new();
        $( $crate::assemble::Part::put($part, &mut code); )*
        code
    }};
}

/// Part of assembled code.
pub(crate) trait Part {
    fn put(self, code: &mut Vec<u8>);
}

impl Part for u8 {
    fn put(self, code: &mut Vec<u8>) {
        code.push(self);
    }
}

impl Part for u16 {
    fn put(self, code: &mut Vec<u8>) {
        code.extend(self.to_be_bytes());
    }
}
