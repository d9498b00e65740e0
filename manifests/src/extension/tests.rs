use super::*;

fn attributes(entries: &[(&str, &str)]) -> Attributes {
    let mut attributes = Attributes::default();
    for (name, value) in entries {
        attributes.set(name, value).unwrap();
    }
    attributes
}

fn properties(text: &str) -> Properties {
    Properties::parse(text.as_bytes()).unwrap()
}

#[test]
fn attributes_describe_an_extension() {
    let metadata = ExtensionMetadata::from_attributes(&attributes(&[
        ("btrace-extension-id", "acme-metrics"),
        ("BTrace-Extension-Version", "1.2.0"),
        ("BTrace-Extension-Name", "Acme Metrics"),
        ("BTrace-Extension-Description", "Counts, and times"),
        ("BTrace-API-Version", "3.1+"),
        ("BTrace-Java-Version", "11+"),
        ("BTrace-Extension-Services", "a.B, a.C ,"),
        ("BTrace-Extension-Requires", "core,util"),
        ("BTrace-Extension-Permissions", "network"),
        ("BTrace-Extension-Exports", "a.D"),
        ("BTrace-Extension-Configurator", "a.E"),
        ("BTrace-Extension-Probes", "P,Q"),
        ("BTrace-Shaded-Packages", "org.dep -> a.dep,x->a.x"),
        ("BTrace-Extension-Impl", "acme-impl.jar"),
    ]));
    let metadata = metadata.unwrap().unwrap();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let expected = ExtensionMetadata {
        id: "acme-metrics".to_owned(),
        version: "1.2.0".to_owned(),
        name: Some("Acme Metrics".to_owned()),
        description: Some("Counts, and times".to_owned()),
        api_version: "3.1+".to_owned(),
        java_version: "11+".to_owned(),
        services: vec!["a.B".to_owned(), "a.C".to_owned()],
        requires: vec!["core".to_owned(), "util".to_owned()],
        permissions: Some(vec![Permission::Network]),
        exports: vec!["a.D".to_owned()],
        configurator: Some("a.E".to_owned()),
        probes: vec!["P".to_owned(), "Q".to_owned()],
        shaded_packages: vec![pair("org.dep", "a.dep"), pair("x", "a.x")],
        implementation: Some("acme-impl.jar".to_owned()),
        settings: Vec::new(),
        reasons: Vec::new(),
    };
    assert_eq!(metadata, expected);
    let mut attributes = Attributes::default();
    metadata.write_to(&mut attributes).unwrap();
    assert_eq!(ExtensionMetadata::from_attributes(&attributes).unwrap(), Some(expected.clone()));

    let written = metadata.to_properties();
    assert_eq!(written.iter().map(|(key, _)| key).collect::<Vec<_>>(), PROPERTY_KEYS);
    let read = ExtensionMetadata::from_properties(&written, "elsewhere").unwrap();
    assert_eq!(read, ExtensionMetadata { shaded_packages: Vec::new(), implementation: None, ..expected });
}

#[test]
fn other_jars_are_no_extensions() {
    assert_eq!(ExtensionMetadata::from_attributes(&attributes(&[("Main-Class", "a.B")])), Ok(None));
    let error = ExtensionMetadata::from_attributes(&attributes(&[("BTrace-Extension-Name", "x")])).unwrap_err();
    assert_eq!(error.to_string(), "extension description has no value for: `BTrace-Extension-Id`");
    assert_eq!(error.hint().as_deref(), Some("add `BTrace-Extension-Id`"));
}

#[test]
fn embedded_properties_have_defaults() {
    let metadata = ExtensionMetadata::from_properties(&properties("services=a.B"), "folder").unwrap();
    assert_eq!((metadata.id.as_str(), metadata.version.as_str()), ("folder", "0.0.0"));
    assert_eq!((metadata.api_version.as_str(), metadata.java_version.as_str()), ("3.0+", "8+"));
    assert_eq!(metadata.services, ["a.B"]);
    let written = String::from_utf8(metadata.to_properties().to_bytes()).unwrap();
    assert_eq!(written, "id=folder\nversion=0.0.0\nbtrace.api.version=3.0+\njava.version=8+\nservices=a.B\n");
    let named = ExtensionMetadata::from_properties(&properties("id=other"), "folder").unwrap();
    assert_eq!(named.id, "other");
}

#[test]
fn undeclared_permissions_are_not_empty_ones() {
    let undeclared = ExtensionMetadata::from_properties(&properties("id=a"), "a").unwrap();
    assert_eq!(undeclared.permissions, None);
    assert_eq!(undeclared.to_properties().get("permissions"), None);
    let none = ExtensionMetadata::from_properties(&properties("permissions="), "a").unwrap();
    assert_eq!(none.permissions, Some(Vec::new()));
    assert_eq!(none.to_properties().get("permissions"), Some(""));
    let error = ExtensionMetadata::from_properties(&properties("permissions=NETWROK"), "a").unwrap_err();
    assert_eq!(error.to_string(), "unknown permission: `NETWROK`");
}

#[test]
fn legacy_properties_are_read() {
    let text = "extension.id=btrace-metrics\nextension.version=3.0.0\nextension.name=Metrics\n\
        services=a.B\nrequires.extensions=\nshaded.packages=org.H->a.h,\\\n   com.c->a.c\npermissions=EXEC\n";
    let metadata = ExtensionMetadata::from_legacy_properties(&properties(text)).unwrap();
    assert_eq!((metadata.id.as_str(), metadata.version.as_str()), ("btrace-metrics", "3.0.0"));
    assert_eq!(metadata.name.as_deref(), Some("Metrics"));
    assert!(metadata.requires.is_empty());
    assert_eq!(metadata.permissions, None, "the legacy format has no such key");
    assert_eq!(metadata.shaded_packages[1], ("com.c".to_owned(), "a.c".to_owned()));
    let error = ExtensionMetadata::from_legacy_properties(&properties("id=a")).unwrap_err();
    assert_eq!(error.to_string(), "extension description has no value for: `extension.id`");
}

#[test]
fn a_shaded_package_needs_both_sides() {
    for entry in ["org.dep", "->a", "a->"] {
        let text = format!("extension.id=a\nshaded.packages={entry}");
        let error = ExtensionMetadata::from_legacy_properties(&properties(&text)).unwrap_err();
        let message = "`shaded.packages` has an entry that is not `original->shaded`";
        assert_eq!(error.to_string(), format!("{message}: `{entry}`"));
        assert_eq!(error.hint().as_deref(), Some("write entries such as `org.dep->com.example.shaded.dep`"));
    }
}

#[test]
fn ids_are_checked() {
    for id in ["a", "A.b_c-1", "9", "a."] {
        assert_eq!(check_id(id), Ok(()), "{id}");
    }
    for id in ["", ".a", "-a", "a..b", "a/b", "a b", "é", "../a"] {
        let error = check_id(id).unwrap_err();
        assert_eq!(error.to_string(), format!("not an extension id: `{id}`"));
        assert_eq!(
            error.hint().as_deref(),
            Some("begin with a letter or digit, go on with letters, digits, `.`, `_` or `-`, and leave out `..`")
        );
        assert_eq!(ExtensionMetadata::new(id).unwrap_err(), error);
        assert_eq!(ExtensionMetadata::from_properties(&Properties::default(), id).unwrap_err(), error);
    }
}

#[test]
fn written_ids_are_lowercase_with_hyphens() {
    for id in ["a", "acme-metrics-2", "3d"] {
        assert_eq!(check_written_id(id), Ok(()), "{id}");
    }
    for (id, better) in [("acmeMetrics", "acme-metrics"), ("a.b_c", "a-b-c"), ("a--b-", "a-b"), ("ACME", "acme")] {
        let error = check_written_id(id).unwrap_err();
        assert_eq!(error.to_string(), format!("extension id is not lowercase with hyphens: `{id}`"));
        assert_eq!(error.hint().as_deref(), Some(format!("use `{better}`").as_str()));
        assert_eq!(check_written_id(better), Ok(()));
    }
    assert!(matches!(check_written_id("a..b"), Err(Error::ExtensionId { .. })));
}

#[test]
fn unknown_keys_come_with_the_nearest() {
    let properties = properties("id=a\nconfigurater=b\nqqq=c");
    let unknown: Vec<_> = unknown_keys(&properties, PROPERTY_KEYS).collect();
    assert_eq!(unknown, [("configurater", Some("configurator")), ("qqq", None)]);
}

#[test]
fn settings_and_reasons_are_read_back() {
    let text = "id=a\nsetting.digits.type=integer\nsetting.digits.default=3\npermission.NETWORK.reason=sends\n";
    let metadata = ExtensionMetadata::from_properties(&properties(text), "a").unwrap();
    assert_eq!(metadata.settings[0].default.as_deref(), Some("3"));
    assert_eq!(metadata.reasons, [(Permission::Network, "sends".to_owned())]);
    let written = metadata.to_properties();
    assert_eq!(unknown_keys(&written, PROPERTY_KEYS).count(), 0);
    assert_eq!(ExtensionMetadata::from_properties(&written, "a"), Ok(metadata));
    let error = ExtensionMetadata::from_properties(&properties("permission.NETWROK.reason=x"), "a").unwrap_err();
    assert_eq!(error.to_string(), "unknown permission: `NETWROK`");
}
