use super::*;

fn parse(text: &str) -> Result<ExtensionToml, Error> {
    ExtensionToml::parse(text, "extension.toml", &|name| (name == "GROUP").then(|| "com.acme".to_owned()))
}

/// Parses what follows a valid id and version of two lines.
fn with(text: &str) -> Result<ExtensionToml, Error> {
    parse(&format!("id = \"metrics\"\nversion = \"1.2.0\"\n{text}"))
}

#[test]
fn everything_is_read() {
    let extension = with(
        "name = \"Metrics\"\ndescription = \"Counts\"\nservices = [\"com.acme.Metrics\"]\nexports = [\"com.acme.Snapshot\"]\n\
         excluded-exports = [\"com.acme.Hidden\"]\napi-packages = [\"com.acme\"]\nrequires = [\"core\"]\nprovided = [\"org.apache.spark\"]\n\
         dependencies = [\"lib/*.jar\", \"maven:org.hdrhistogram:HdrHistogram:2.2.2\"]\nprobes = [\"probes/**/*.class\"]\n\
         configurator = \"com.acme.Chooser\"\napi-version = \"3.0+\"\njava-version = \"8+\"\nclasses = [\"out\"]\nsources = [\"src\"]\n\
         native = [\"lib/*.so\"]\ngroup = \"${env:GROUP}\"\n\
         [shade]\n\"org.HdrHistogram\" = \"com.acme.{id}.v${extension.version}\"\n\
         [[setting]]\nname = \"digits\"\ntype = \"integer\"\ndefault = 3\nhelp = \"Precision\"\n[[setting]]\nname = \"sink\"\n\
         [permissions]\nNETWORK = \"sends\"\nthreads = \"flushes\"\n",
    )
    .unwrap();
    let one = |text: &str| vec![text.to_owned()];
    assert_eq!((extension.id.as_str(), extension.version.as_str()), ("metrics", "1.2.0"));
    assert_eq!(extension.services, one("com.acme.Metrics"));
    assert_eq!(extension.exports, one("com.acme.Snapshot"));
    assert_eq!(extension.excluded_exports, one("com.acme.Hidden"));
    let maven = Dependency::Maven("org.hdrhistogram:HdrHistogram:2.2.2".parse().unwrap());
    assert_eq!(extension.dependencies, [Dependency::Path("lib/*.jar".to_owned()), maven]);
    assert_eq!(extension.shade, [("org.HdrHistogram".to_owned(), "com.acme.{id}.v1.2.0".to_owned())]);
    let digits = &extension.settings[0];
    assert_eq!((digits.kind, digits.default.as_deref()), (SettingType::Integer, Some("3")));
    assert_eq!(extension.settings[1].kind, SettingType::String);
    let reasons = [(Permission::Network, "sends".to_owned()), (Permission::Threads, "flushes".to_owned())];
    assert_eq!(extension.permissions, reasons);
    assert_eq!(extension.group.as_deref(), Some("com.acme"));
    assert_eq!(extension.configurator.as_deref(), Some("com.acme.Chooser"));
}

#[test]
fn a_cargo_package_may_hold_the_same() {
    let text = "[package]\nname = \"m\"\nversion = \"0.3.0\"\n[package.metadata.fatagent.extension]\nid = \"m\"\n";
    let parse = |text: &str, version| ExtensionToml::parse_cargo(text, "Cargo.toml", version, &|_| None).unwrap();
    assert_eq!(parse(text, None).unwrap().version, "0.3.0");
    assert_eq!(parse(text, Some("0.4.0")).unwrap().version, "0.4.0");
    assert_eq!(parse("[package]\nname = \"m\"\n", None), None);
    // An agent's list of extensions is something else.
    assert_eq!(parse("[[package.metadata.fatagent.extension]]\nfile = \"a.zip\"\n", None), None);
}

#[test]
fn bad_values_are_refused_with_their_place() {
    for (text, message, hint) in [
        ("[settings]", "3:2: unknown key in the top level: `settings`", Some("did you mean `setting`?")),
        ("services = [\"a..b\"]", "3:12: `services` must be a dotted Java name: `a..b`", None),
        ("api-version = \"three\"", "3:15: `api-version` must be a least version such as `3.0+`: `three`", None),
        ("requires = [\"metrics\"]", "3:12: `requires` must be ids of other extensions: `metrics`", None),
        (
            "dependencies = [\"maven:a:b\"]",
            "3:16: `dependencies` must be `group:artifact:version[:classifier][@type]`: `a:b`",
            None,
        ),
        (
            "[permissions]\nNETWROK = \"x\"",
            "4:11: `permissions.NETWROK` must be a permission: `NETWROK`",
            Some("did you mean `NETWORK`?"),
        ),
        (
            "[permissions]\nNETWORK = \" \"",
            "4:11: `permissions.NETWORK` must be the reason why it is needed: ` `",
            None,
        ),
        (
            "[[setting]]\nname = \"a\"\ntype = \"bool\"",
            "5:8: `setting.type` must be `string`, `boolean`, `integer`, `duration` or `list`: `bool`",
            None,
        ),
        (
            "[[setting]]\nname = \"a\"\ntype = \"duration\"\ndefault = \"5\"",
            "6:11: `setting.default` must be a value of the setting's type: `5`",
            None,
        ),
    ] {
        let error = with(text).unwrap_err();
        assert_eq!(error.to_string(), format!("extension.toml:{message}"), "{text}");
        if let Some(hint) = hint {
            assert_eq!(error.hint().as_deref(), Some(hint), "{text}");
        }
    }
    let error = parse("id = \"Acme Metrics\"\nversion = \"1.0.0\"").unwrap_err();
    assert_eq!(
        error.to_string(),
        "extension.toml:1:6: `id` must be lowercase words and numbers joined by hyphens: `Acme Metrics`"
    );
    assert_eq!(error.hint().as_deref(), Some("did you mean `acme-metrics`?"));
    let error = parse("id = \"a\"\nversion = \"1\"").unwrap_err();
    assert_eq!(error.to_string(), "extension.toml:2:11: `version` must be a semantic version such as `1.2.0`: `1`");
}
