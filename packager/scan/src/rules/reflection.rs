//! Reflection and class loading.

use manifests::permission::Permission::{self, Classloader, Reflection};

use super::{Check, Rule};

const REFLECTION: &[Permission] = &[Reflection];
const LOADER: &[Permission] = &[Classloader];
const BOTH: &[Permission] = &[Reflection, Classloader];

pub(super) const RULES: &[Rule] = &[
    Rule::of("java/lang/Class", &["forName"], LOADER, "loads a class by name").with(Check::ClassByName),
    Rule::of(
        "java/lang/Class",
        &["getMethod", "getDeclaredMethod", "getField", "getDeclaredField"],
        REFLECTION,
        "looks up a member by name",
    )
    .with(Check::MemberByName),
    Rule::of(
        "java/lang/Class",
        &["newInstance", "getConstructor", "getDeclaredConstructor"],
        REFLECTION,
        "makes an instance of a class",
    )
    .with(Check::Receiver),
    Rule::of(
        "java/lang/Class",
        &[
            "getMethods",
            "getDeclaredMethods",
            "getFields",
            "getDeclaredFields",
            "getConstructors",
            "getDeclaredConstructors",
            "getClasses",
            "getDeclaredClasses",
        ],
        REFLECTION,
        "looks up members that it does not name",
    )
    .with(Check::Unscannable),
    Rule::of(
        "java/lang/Class",
        &["getRecordComponents", "getEnclosingMethod", "getEnclosingConstructor"],
        REFLECTION,
        "looks up members",
    ),
    Rule::of("java/lang/Class", &["getClassLoader"], LOADER, "reaches a class loader"),
    Rule::of("java/lang/ClassLoader", &["loadClass", "findClass"], LOADER, "loads a class by name")
        .with(Check::ClassByName),
    Rule::of("java/lang/ClassLoader", &["defineClass"], LOADER, "defines a class from bytes").with(Check::Unscannable),
    Rule::all("java/lang/ClassLoader", LOADER, "loads classes"),
    Rule::of("java/security/SecureClassLoader", &["loadClass", "findClass"], LOADER, "loads a class by name")
        .with(Check::ClassByName),
    Rule::of("java/security/SecureClassLoader", &["defineClass"], LOADER, "defines a class from bytes")
        .with(Check::Unscannable),
    Rule::all("java/security/SecureClassLoader", LOADER, "loads classes"),
    Rule::all("java/lang/ModuleLayer", LOADER, "loads modules"),
    Rule::of(
        "java/lang/Module",
        &["addOpens", "addExports", "addReads", "addUses"],
        REFLECTION,
        "opens modules to reflection",
    ),
    Rule::all("java/lang/instrument/", BOTH, "changes classes"),
    Rule::all("java/lang/reflect/", REFLECTION, "reaches members by reflection"),
    Rule::all("java/lang/reflect/Array", &[], "makes arrays of a class that is already there"),
    Rule::all("java/lang/reflect/Modifier", &[], "reads bits of a number"),
    Rule::all("java/lang/reflect/Type", &[], "describes a type"),
    Rule::all("java/lang/reflect/ParameterizedType", &[], "describes a type"),
    Rule::all("java/lang/reflect/GenericArrayType", &[], "describes a type"),
    Rule::all("java/lang/reflect/WildcardType", &[], "describes a type"),
    Rule::all("java/lang/reflect/TypeVariable", &[], "describes a type"),
    Rule::all("java/lang/reflect/GenericDeclaration", &[], "describes a type"),
    Rule::all("java/lang/reflect/AnnotatedElement", &[], "reads annotations"),
    Rule::all("java/lang/reflect/AnnotatedType", &[], "describes a type"),
    Rule::all("java/lang/reflect/InvocationHandler", &[], "is called, and calls nothing itself"),
    Rule::all("java/lang/reflect/InvocationTargetException", &[], "is only thrown"),
    Rule::all("java/lang/reflect/UndeclaredThrowableException", &[], "is only thrown"),
    Rule::all("java/lang/reflect/MalformedParameterizedTypeException", &[], "is only thrown"),
    Rule::all("java/lang/reflect/GenericSignatureFormatError", &[], "is only thrown"),
    Rule::all("java/lang/reflect/InaccessibleObjectException", &[], "is only thrown"),
    Rule::of(
        "java/lang/invoke/MethodHandles$Lookup",
        &[
            "findVirtual",
            "findStatic",
            "findSpecial",
            "findGetter",
            "findSetter",
            "findStaticGetter",
            "findStaticSetter",
            "findVarHandle",
            "findStaticVarHandle",
            "bind",
        ],
        REFLECTION,
        "looks up a member by name",
    )
    .with(Check::HandleByName),
    Rule::of("java/lang/invoke/MethodHandles$Lookup", &["findConstructor"], REFLECTION, "looks up a constructor")
        .with(Check::ConstructorHandle),
    Rule::of("java/lang/invoke/MethodHandles$Lookup", &["findClass"], LOADER, "loads a class by name")
        .with(Check::ClassByName),
    Rule::of(
        "java/lang/invoke/MethodHandles$Lookup",
        &["defineClass", "defineHiddenClass", "defineHiddenClassWithClassData"],
        LOADER,
        "defines a class from bytes",
    )
    .with(Check::Unscannable),
    Rule::of(
        "java/lang/invoke/MethodHandles$Lookup",
        &[
            "unreflect",
            "unreflectSpecial",
            "unreflectConstructor",
            "unreflectGetter",
            "unreflectSetter",
            "unreflectVarHandle",
            "revealDirect",
        ],
        REFLECTION,
        "turns reflection into handles",
    ),
    Rule::of(
        "java/lang/invoke/MethodHandles",
        &["privateLookupIn", "reflectAs"],
        REFLECTION,
        "reaches private members",
    ),
    Rule::of("java/util/ServiceLoader", &["load", "loadInstalled"], &[], "makes providers").with(Check::Providers),
    Rule::all("java/beans/Introspector", REFLECTION, "looks up members"),
    Rule::all("java/beans/PropertyDescriptor", REFLECTION, "looks up members"),
    Rule::all("java/beans/Expression", REFLECTION, "calls methods by name").with(Check::Unscannable),
    Rule::all("java/beans/Statement", REFLECTION, "calls methods by name").with(Check::Unscannable),
    Rule::all("java/beans/XMLDecoder", REFLECTION, "calls methods that a document names").with(Check::Unscannable),
    Rule::of("java/io/ObjectInputStream", &["<init>"], REFLECTION, "makes instances that a stream names")
        .with(Check::Unscannable),
    Rule::all("sun/reflect/", REFLECTION, "reaches members by reflection"),
    Rule::all("jdk/internal/reflect/", REFLECTION, "reaches members by reflection"),
    Rule::all("jdk/internal/access/", REFLECTION, "reaches internals of the JDK"),
];
