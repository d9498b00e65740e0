//! The reader against what javac writes, and against another reader.

use crate::harness::{javac, module};
use classfile::{ClassFile, ElementValue};

const SOURCE: &str = r#"
import java.lang.annotation.*;
import java.util.*;

@Visible(name = "T", numbers = {1, -2}, type = int[].class, nested = @Hidden(7), policy = RetentionPolicy.CLASS,
    z = true, b = -1, c = 'é', s = -300, j = 1L << 40, f = 1.5f, d = -0.25)
@Hidden(1)
abstract class T<X extends Number> extends ArrayList<String> implements Runnable, Comparable<T<X>> {
    @Deprecated static final long CONSTANT = 5L;
    @Visible int field;
    @Visible(name = "\0\uD83D\uDE00") native void probe(@Visible(name = "p0") int a, String b, @Hidden(2) @Visible long[] c);
    abstract void none();
    class Inner { Inner(@Visible int n) { T.this.clear(); } }
    enum E { A; E() {} E(@Visible String s) {} }
}

@Retention(RetentionPolicy.RUNTIME) @interface Visible {
    String name() default ""; int[] numbers() default {}; Class<?> type() default Object.class;
    Hidden nested() default @Hidden(0); RetentionPolicy policy() default RetentionPolicy.SOURCE;
    boolean z() default false; byte b() default 0; char c() default 0; short s() default 0;
    long j() default 0; float f() default 0; double d() default 0;
}
@interface Hidden { int value(); }
"#;

#[test]
fn structure_and_annotations() {
    let classes = javac(&[("T.java", SOURCE)], &["-encoding", "UTF-8"]);
    let class = ClassFile::parse(&classes["T"]).unwrap();
    assert_eq!(class.this_str(), Some("T"));
    assert_eq!(class.super_str(), Some("java/util/ArrayList"));
    assert_eq!(class.interfaces().collect::<Vec<_>>(), [&b"java/lang/Runnable"[..], b"java/lang/Comparable"]);
    assert_eq!(class.access() & classfile::access::ABSTRACT, classfile::access::ABSTRACT);
    assert!(class.major() >= 52 && class.minor() == 0);
    assert_eq!(class.attribute("SourceFile").unwrap().data.len(), 2);

    let annotations = class.annotations().unwrap();
    let visible = annotations.iter().find(|a| a.visible).unwrap();
    let hidden = annotations.iter().find(|a| !a.visible).unwrap();
    assert_eq!((annotations.len(), &*visible.type_descriptor, &*hidden.type_descriptor), (2, "LVisible;", "LHidden;"));
    assert_eq!(hidden.element("value").unwrap().as_i64(), Some(1));
    let element = |name| visible.element(name).unwrap();
    assert_eq!(element("name").as_str(), Some("T"));
    assert_eq!(element("numbers").as_array().unwrap(), [ElementValue::Int(1), ElementValue::Int(-2)]);
    assert_eq!(element("type").as_class(), Some("[I"));
    assert_eq!(element("nested").as_annotation().unwrap().element("value"), Some(&ElementValue::Int(7)));
    assert_eq!(element("policy").as_enum(), Some("CLASS"));
    assert_eq!(element("z").as_bool(), Some(true));
    assert_eq!(element("b"), &ElementValue::Byte(-1));
    assert_eq!(element("c"), &ElementValue::Char(u16::from(b'\xE9')));
    assert_eq!(element("s"), &ElementValue::Short(-300));
    assert_eq!(element("j"), &ElementValue::Long(1 << 40));
    assert_eq!(element("f"), &ElementValue::Float(1.5));
    assert_eq!(element("d"), &ElementValue::Double(-0.25));

    let constant = class.fields().find(|f| f.name_str() == Some("CONSTANT")).unwrap();
    let value = constant.attribute("ConstantValue").unwrap().data;
    assert_eq!(class.pool().long(u16::from_be_bytes([value[0], value[1]])), Ok(5));
    assert_eq!(constant.annotations().unwrap()[0].type_descriptor, "Ljava/lang/Deprecated;");

    let probe = class.methods().find(|m| m.name_str() == Some("probe")).unwrap();
    assert_eq!(probe.descriptor_str(), Some("(ILjava/lang/String;[J)V"));
    assert_eq!(probe.annotations().unwrap()[0].element("name").unwrap().as_str(), Some("\0\u{1F600}"));
    let parameters = probe.parameter_annotations().unwrap();
    assert_eq!(parameters.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 2]);
    assert_eq!(parameters[0][0].element("name").unwrap().as_str(), Some("p0"));
    assert_eq!(parameters[2].iter().filter(|a| a.visible).count(), 1);
}

/// javac writes no annotations for the synthetic parameters, which come first.
#[test]
fn parameter_annotations_are_those_of_the_declared_parameters() {
    let classes = javac(&[("T.java", SOURCE)], &["-encoding", "UTF-8"]);
    for (name, descriptor, count) in [("T$Inner", "(LT;I)V", 2), ("T$E", "(Ljava/lang/String;ILjava/lang/String;)V", 3)]
    {
        let class = ClassFile::parse(&classes[name]).unwrap();
        let init = class.methods().find(|m| m.descriptor_str() == Some(descriptor)).unwrap();
        let parameters = init.parameter_annotations().unwrap();
        assert_eq!(parameters.len(), count);
        assert_eq!(parameters.iter().position(|list| !list.is_empty()), Some(count - 1), "{name}");
    }
}

/// Everything that another reader sees, in the JDK's largest module.
#[test]
fn agrees_with_another_reader() {
    let classes = module("java.base");
    assert!(classes.len() > 5_000);
    for (name, bytes) in &classes {
        let ours = ClassFile::parse(bytes).unwrap();
        let theirs = cafebabe::parse_class(bytes).unwrap();
        assert_eq!(ours.this_str(), Some(name.as_str()));
        assert_eq!(ours.this_str().unwrap(), &*theirs.this_class);
        assert_eq!(ours.super_str(), theirs.super_class.as_deref());
        // It leaves out bits that mean nothing for a class, of which some classes have one.
        assert_eq!(ours.access() & cafebabe::ClassAccessFlags::all().bits(), theirs.access_flags.bits());
        let interfaces: Vec<_> = theirs.interfaces.iter().map(|i| i.as_bytes()).collect();
        assert_eq!(ours.interfaces().collect::<Vec<_>>(), interfaces);
        assert_eq!(ours.fields().len(), theirs.fields.len());
        for (our, their) in ours.methods().zip(&theirs.methods) {
            assert_eq!(our.name_str(), Some(&*their.name));
            assert_eq!(our.descriptor_str().unwrap(), their.descriptor.to_string());
            assert_eq!(our.access, their.access_flags.bits());
            let names: Vec<_> = our.attributes().map(|a| a.name).collect();
            assert_eq!(names, their.attributes.iter().map(|a| a.name.as_bytes()).collect::<Vec<_>>());
        }
    }
}
