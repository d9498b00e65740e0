//! Every refusal with its position and hint.

use super::*;

/// Message and hint for what follows a valid `[agent]` of three lines.
#[track_caller]
fn refused(text: &str, message: &str, hint: Option<&str>) {
    check(&with(text).unwrap_err(), message, hint);
}

#[track_caller]
fn check(error: &Error, message: &str, hint: Option<&str>) {
    assert_eq!(error.to_string(), format!("agent.toml:{message}"));
    assert_eq!(error.hint().as_deref(), hint);
}

#[test]
fn syntax_errors_have_a_position() {
    refused("é = \n", "4:1: invalid unquoted key, expected letters, numbers, `-`, `_`", None);
}

#[test]
fn unknown_keys_have_a_position_and_the_nearest() {
    refused("vresion = 1", "4:1: unknown key in `[agent]`: `vresion`", Some("did you mean `version`?"));
    refused("[probe]", "4:2: unknown key in the top level: `probe`", Some("did you mean `probes`?"));
    refused(
        "[[extension]]\nfile = \"a\"\n  relocat.e = \"b\"",
        "6:3: unknown key in `[[extension]]`: `relocat`",
        Some("did you mean `relocate`?"),
    );
    refused(
        "base = { \"é\" = 1, url = \"x\" }",
        "4:10: unknown key in `[agent.base]`: `é`",
        Some("keys here are `file`, `maven`"),
    );
    let misspelt = parse("[agent]\nnmae = \"a\"\nversion = \"1\"").unwrap_err();
    check(&misspelt, "2:1: unknown key in `[agent]`: `nmae`", Some("did you mean `name`?"));
}

#[test]
fn wrong_types_have_a_position() {
    refused("targets = \"x\"", "4:11: `agent.targets` must be an array of strings, but is a string", None);
    refused("targets = [\"x\", 1]", "4:17: `agent.targets` must be an array of strings, but is an integer in it", None);
    refused("layout = 1.5", "4:10: `agent.layout` must be a string, but is a float", None);
    let hint = "write `base = { file = \"base.jar\" }` for a jar, or leave it out for the built-in base";
    refused("base = 1979-05-27", "4:8: `agent.base` must be a table, but is a date", Some(hint));
    refused("[extension]", "4:1: `extension` must be an array of tables, but is a table", None);
    refused("[[probes]]", "4:1: `probes` must be a table, but is an array of tables", None);
    refused("[policy]\nsealed = \"yes\"", "5:10: `policy.sealed` must be a boolean, but is a string", None);
    refused("[limits]\nmaxMethods = true", "5:14: `limits.maxMethods` must be an integer, but is a boolean", None);
    refused("[args]\na = []", "5:5: `args.a` must be a string, number or boolean, but is an array", None);
    refused("[args.a]\nb = 1", "4:1: `args.a` must be a string, number or boolean, but is a table", None);
    refused(
        "[config]\na = 1979-05-27",
        "5:5: `config.a` must be a string, number, boolean or array, but is a date",
        None,
    );
    refused("[config]\na.b = [1]", "5:8: `config.a.b` must be an array of strings, but is an integer in it", None);
    refused(
        "[verify]\nmax-size = []",
        "5:12: `verify.max-size` must be a number of bytes, or one such as `5 MB` or `500 KiB`, but is an array",
        None,
    );
}

#[test]
fn missing_keys_name_their_table() {
    check(&parse("").unwrap_err(), "1:1: the top level has no key `agent`", Some("add `agent = …`"));
    check(
        &parse("\n[agent]\nversion = \"1\"").unwrap_err(),
        "2:1: `[agent]` has no key `name`",
        Some("add `name = …`"),
    );
    refused("[discover]", "4:1: `[discover]` has no key `members`", Some("add `members = …`"));
    refused("[[files]]\nfrom = [\"a\"]", "4:1: `[[files]]` has no key `into`", Some("add `into = …`"));
}

#[test]
fn exactly_one_source_is_taken() {
    let hint = Some("write exactly one of `path`, `file` and `maven`");
    refused(
        "[[extension]]",
        "4:1: `[[extension]]` takes exactly one of `path`, `file` and `maven`, but has none",
        hint,
    );
    refused(
        "[[extension]]\nfile = \"a\"\npath = \"b\"",
        "4:1: `[[extension]]` takes exactly one of `path`, `file` and `maven`, but has `path` and `file`",
        hint,
    );
    refused(
        "base = {}",
        "4:8: `[agent.base]` takes exactly one of `file` and `maven`, but has none",
        Some("write exactly one of `file` and `maven`"),
    );
}

#[test]
fn values_are_checked() {
    let name = parse("[agent]\nname = \"a b\"\nversion = \"1\"").unwrap_err();
    check(
        &name,
        "2:8: `agent.name` must be made of letters, digits, `.`, `_` and `-`: `a b`",
        Some("did you mean `a-b`?"),
    );
    let version = parse("[agent]\nname = \"a\"\nversion = \"\"").unwrap_err();
    check(&version, "3:11: `agent.version` must be a text that is not empty: ``", None);
    let version = parse("[agent]\nname = \"a\"\nversion = \"1\\n\"").unwrap_err();
    check(&version, "3:11: `agent.version` must be a text without control characters: `1\\n`", None);
    refused(
        "layout = \"btrace\"",
        "4:10: `agent.layout` must be `btrace3`, `masked`, `foreign` or `plain`: `btrace`",
        Some("did you mean `btrace3`?"),
    );
    refused(
        "base = \"buildin\"",
        "4:8: `agent.base` must be `builtin`, `{ file = … }` or `{ maven = … }`: `buildin`",
        Some("did you mean `builtin`?"),
    );
    for bad in ["g:a", "g::v", "g:a:v:c:d", "g:a:v@", "g:a:v w", "g:../a:v"] {
        refused(
            &format!("[[extension]]\nmaven = \"{bad}\""),
            &format!("5:9: `extension.maven` must be `group:artifact:version[:classifier][@type]`: `{bad}`"),
            None,
        );
    }
    refused(
        "[merge]\n\"a/**\" = \"concat\"",
        "5:10: `merge.a/**` must be `first`, `last`, `concatenate`, `append` or `error`: `concat`",
        None,
    );
    refused("[verify]\nmin-classes = -1", "5:15: `verify.min-classes` must be zero or more: `-1`", None);
    refused(
        "[verify]\nmax-size = \"5 MiBs\"",
        "5:12: `verify.max-size` must be a number of bytes, or one such as `5 MB` or `500 KiB`: `5 MiBs`",
        None,
    );
    refused("[bootstrap]\nfrom = []", "5:8: `bootstrap.from` must be an array that is not empty: `[]`", None);
    refused(
        "[[section]]\npath = \"a\"\nfrom = [\"b\"]\nversions = \"rot\"",
        "7:12: `section.versions` must be `inside` or `root`: `rot`",
        Some("did you mean `root`?"),
    );
    refused(
        "[manifest.attributes]\n\"a b\" = 1",
        "5:9: `manifest.attributes.a b` must be named by 1 to 70 letters, digits, `-` or `_`: `a b`",
        None,
    );
    refused("[manifest.attributes]\na = \"x\\ny\"", "5:5: `manifest.attributes.a` must be one line: `x\\ny`", None);
    refused(
        "[manifest.attributes]\na = 1\nA = 2",
        "6:5: `manifest.attributes.A` must be given once, in whatever case: `A`",
        None,
    );
    refused("[args]\n\"a,b\" = 1", "5:9: `args.a,b` must be named without `=`, `,` and outer blanks: `a,b`", None);
    refused(
        "[config]\na.b = 1\n\"a.b\" = 2",
        "6:9: `config.a.b` must be given once, with or without quotes: `a.b`",
        None,
    );
}

#[test]
fn unset_variables_are_errors() {
    refused(
        "targets = [\"x\", \"${env:TARGET}\"]",
        "4:17: environment variable is not set: `TARGET`",
        Some("set `TARGET` in the environment, or write the value itself"),
    );
}

#[test]
fn other_expressions_are_errors() {
    let hint = Some("`${agent.version}` and `${env:NAME}` are expanded; write `$${` for a literal `${`");
    for bad in ["${agent.name}", "${env:}", "${}"] {
        let message = format!("5:10: not an expression that is expanded: `{bad}`");
        refused(&format!("[verify]\ngolden = \"x{bad}y\""), &message, hint);
    }
    refused("layout = \"a${b\"", "4:10: not an expression that is expanded: `${b`", hint);
    let circular = parse("[agent]\nname = \"a\"\nversion = \"${agent.version}\"").unwrap_err();
    check(&circular, "3:11: not an expression that is expanded: `${agent.version}`", hint);
}

#[test]
fn the_policy_for_literals_is_one_of_three_words() {
    let of = |word: &str| {
        let text = format!("relocate-literals = \"{word}\"\n[agent]\nname = \"a\"\nversion = \"1\"\n");
        AgentToml::parse(&text, "agent.toml", &|_| None)
    };
    for (word, policy) in
        [("descriptors", LiteralPolicy::Descriptors), ("names", LiteralPolicy::Names), ("off", LiteralPolicy::Off)]
    {
        assert_eq!((of(word).unwrap().relocate_literals, policy.word()), (policy, word));
    }
    let error = of("name").unwrap_err();
    let message = "1:21: `relocate-literals` must be `descriptors`, `names` or `off`: `name`";
    check(&error, message, Some("did you mean `names`?"));
    assert_eq!(with("").unwrap().relocate_literals, LiteralPolicy::Descriptors);
}

#[test]
fn a_policy_takes_its_keys_and_what_belongs_to_them() {
    refused(
        "[policy]\nallowPriviliged = true",
        "5:1: unknown key in `[policy]`: `allowPriviliged`",
        Some("did you mean `allowPrivileged`?"),
    );
    refused(
        "[policy]\ngrant = [\"NETWORK\", \"THREAD\"]",
        "5:9: `policy.grant` must be names of permissions: `THREAD`",
        Some("did you mean `THREADS`?"),
    );
    let error = with("[policy]\ndeny = \"EXEC, x\"").unwrap_err();
    assert_eq!(error.to_string(), "agent.toml:5:8: `policy.deny` must be names of permissions: `x`");
    assert!(error.hint().unwrap().starts_with("permissions are `MESSAGING`, `AGGREGATION`"));
    refused(
        "[policy]\nallowExtensions = [\"a b\"]",
        "5:19: `policy.allowExtensions` must be ids of extensions: `a b`",
        Some("begin with a letter or digit, go on with letters, digits, `.`, `_` or `-`, and leave out `..`"),
    );
    refused("[policy]\ngrant = 1", "5:9: `policy.grant` must be an array of strings, but is an integer", None);
    refused("[policy]\ngrantAll = \"yes\"", "5:12: `policy.grantAll` must be a boolean, but is a string", None);
    let good = "[policy]\ngrant = \"network, EXEC\"\ndeny = []\ndenyExtensions = [\"a\", \"b.C\"]";
    let entries = with(good).unwrap().policy.unwrap().entries;
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(entries, [pair("grant", "network, EXEC"), pair("deny", ""), pair("denyExtensions", "a,b.C")]);
}

#[test]
fn limits_are_above_zero() {
    for (key, column, value) in [("maxMethods", 14, "0"), ("maxEventsPerSecond", 22, "-1")] {
        refused(
            &format!("[limits]\n{key} = {value}"),
            &format!("5:{column}: `limits.{key}` must be a number above zero: `{value}`"),
            Some(&format!("write `limits.{key}` as a number above zero")),
        );
    }
    refused(
        "[limits]\nmaxMethod = 1",
        "5:1: unknown key in `[limits]`: `maxMethod`",
        Some("did you mean `maxMethods`?"),
    );
}
