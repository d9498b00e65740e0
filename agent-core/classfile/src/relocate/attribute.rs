//! What the attributes of class files hold.

/// What an attribute holds, told by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not looked at yet.
    Unread,
    /// Nothing that names anything by text, but for constants that are covered on their own.
    Opaque,
    /// Bytecode.
    Code,
    /// A generic signature.
    Signature,
    /// Names and descriptors of local variables.
    Locals,
    /// Names and signatures of local variables.
    LocalTypes,
    /// Annotations.
    Annotations,
    /// Annotations of parameters.
    ParameterAnnotations,
    /// Annotations of types.
    TypeAnnotations,
    /// The default of an annotation element.
    Default,
    /// Classes nested in one another.
    InnerClasses,
    /// Components of a record.
    Record,
    /// One text that is no name of a type.
    Text,
    /// Names of parameters.
    Parameters,
    /// A module descriptor.
    Module,
    /// Unknown to this crate.
    Unknown,
}

impl Kind {
    /// The kind of attribute of that name.
    pub(super) fn of(name: &[u8]) -> Self {
        match name {
            b"Code" => Self::Code,
            b"Signature" => Self::Signature,
            b"LocalVariableTable" => Self::Locals,
            b"LocalVariableTypeTable" => Self::LocalTypes,
            b"RuntimeVisibleAnnotations" | b"RuntimeInvisibleAnnotations" => Self::Annotations,
            b"RuntimeVisibleParameterAnnotations" | b"RuntimeInvisibleParameterAnnotations" => {
                Self::ParameterAnnotations
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => Self::TypeAnnotations,
            b"AnnotationDefault" => Self::Default,
            b"InnerClasses" => Self::InnerClasses,
            b"Record" => Self::Record,
            b"SourceFile" | b"ModuleTarget" => Self::Text,
            b"MethodParameters" => Self::Parameters,
            b"Module" => Self::Module,
            // Scala's markers hold a version number, its pickled trees are annotations.
            b"BootstrapMethods"
            | b"ConstantValue"
            | b"Deprecated"
            | b"EnclosingMethod"
            | b"Exceptions"
            | b"LineNumberTable"
            | b"ModuleHashes"
            | b"ModuleMainClass"
            | b"ModulePackages"
            | b"ModuleResolution"
            | b"NestHost"
            | b"NestMembers"
            | b"PermittedSubclasses"
            | b"Scala"
            | b"ScalaSig"
            | b"SourceDebugExtension"
            | b"StackMap"
            | b"StackMapTable"
            | b"Synthetic" => Self::Opaque,
            _ => Self::Unknown,
        }
    }
}
