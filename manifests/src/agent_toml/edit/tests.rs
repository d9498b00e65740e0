//! Edits of texts as people write them.

use proptest::prelude::*;

use super::*;

const AGENT: &str = "# head\n[agent]\nname = \"a\" # the name\nversion = '1'\n";

fn zip(path: &str) -> Item {
    Item::Extension(ExtensionSource::File(path.to_owned()))
}

fn folder(path: &str) -> Item {
    Item::Extension(ExtensionSource::Path(path.to_owned()))
}

fn maven(text: &str) -> Item {
    Item::Extension(ExtensionSource::Maven(text.parse().unwrap()))
}

fn probe(pattern: &str) -> Item {
    Item::Probe(pattern.to_owned())
}

fn rule(from: &str, to: &str) -> Item {
    Item::Relocation { from: from.to_owned(), to: Some(to.to_owned()) }
}

fn moved(from: &str) -> Item {
    Item::Relocation { from: from.to_owned(), to: None }
}

fn run(text: &str, kind: Kind, how: How, items: &[Item]) -> Result<Edited, Error> {
    edit(text, "agent.toml", kind, how, items, &|_| None)
}

/// The text with `items` added, which must be as expected, and be as before once they are removed again.
#[track_caller]
fn added(before: &str, items: &[Item], after: &str) {
    let edited = run(before, Kind::Agent, How::Add, items).unwrap();
    assert_eq!(edited.text, after);
    assert!(edited.changed.iter().all(|changed| *changed));
    let again = run(after, Kind::Agent, How::Add, items).unwrap();
    assert_eq!((again.text.as_str(), again.changed.contains(&true)), (after, false), "adding what is there");
}

#[track_caller]
fn removed(before: &str, items: &[Item], after: &str) {
    assert_eq!(run(before, Kind::Agent, How::Remove, items).unwrap().text, after);
}

#[test]
fn a_first_one_comes_at_the_end() {
    added(AGENT, &[zip("x.zip")], &format!("{AGENT}\n[[extension]]\nfile = \"x.zip\"\n"));
    added(AGENT, &[folder("ext/a")], &format!("{AGENT}\n[[extension]]\npath = \"ext/a\"\n"));
    added(AGENT, &[maven("g:a:1")], &format!("{AGENT}\n[[extension]]\nmaven = \"g:a:1\"\n"));
    added(AGENT, &[probe("p/*.class")], &format!("{AGENT}\n[probes]\ninclude = [\"p/*.class\"]\n"));
    added(AGENT, &[rule("org.dep", "x.dep")], &format!("{AGENT}\n[relocate]\n\"org.dep\" = \"x.dep\"\n"));
    // What stands at the end stays where it is.
    added(&format!("{AGENT}# end\n"), &[zip("x")], &format!("{AGENT}# end\n\n[[extension]]\nfile = \"x\"\n"));
    let all = [zip("x"), probe("p"), rule("=a.B", "c.B")];
    let text = "\n[[extension]]\nfile = \"x\"\n\n[probes]\ninclude = [\"p\"]\n\n[relocate]\n\"=a.B\" = \"c.B\"\n";
    added(AGENT, &all, &format!("{AGENT}{text}"));
}

#[test]
fn extensions_stay_together() {
    let before = format!(
        "{AGENT}\n# one\n[[extension]]\npath = \"one\" # its folder\n[extension.relocate]\n\"a\" = \"b\"\n\n# probes\n[probes]\ninclude = []\n"
    );
    let after = format!(
        "{AGENT}\n# one\n[[extension]]\npath = \"one\" # its folder\n[extension.relocate]\n\"a\" = \"b\"\n\n[[extension]]\nfile = \"x\"\n\n# probes\n[probes]\ninclude = []\n"
    );
    added(&before, &[zip("x")], &after);
    removed(&after, &[zip("./x")], &before);
    removed(&before, &[folder("one/")], &format!("{AGENT}\n# probes\n[probes]\ninclude = []\n"));
    let inline = format!("extension = [{{ path = \"one\" }}]\n{AGENT}");
    let two = format!("extension = [{{ path = \"one\" }}, {{ file = \"x\" }}]\n{AGENT}");
    added(&inline, &[zip("x")], &two);
    removed(&two, &[folder("one")], &format!("extension = [{{ file = \"x\" }}]\n{AGENT}"));
    removed(&two, &[zip("x"), folder("one")], &format!("extension = []\n{AGENT}"));
}

#[test]
fn comments_of_others_stay() {
    let before = format!(
        "{AGENT}\n# about all extensions\n\n# about x\n[[extension]]\nfile = \"x\"\n\n[[extension]]\nfile = \"y\"\n# about probes\n[probes]\ninclude = []\n"
    );
    removed(
        &before,
        &[zip("x")],
        &format!(
            "{AGENT}\n# about all extensions\n\n[[extension]]\nfile = \"y\"\n# about probes\n[probes]\ninclude = []\n"
        ),
    );
    removed(
        &before,
        &[zip("x"), zip("y")],
        &format!("{AGENT}\n# about all extensions\n\n# about probes\n[probes]\ninclude = []\n"),
    );
    let last = format!("{AGENT}\n# apart\n\n# own\n[[extension]]\nfile = \"x\"\n# end\n");
    removed(&last, &[zip("x")], &format!("{AGENT}\n# apart\n\n# end\n"));
}

#[test]
fn arrays_keep_their_form() {
    let text = |include: &str| format!("{AGENT}[probes]\ninclude = {include}\n[args]\n");
    for (before, after) in [
        ("[]", "[\"n\"]"),
        ("[ ]", "[\"n\" ]"),
        ("[\"a\"]", "[\"a\", \"n\"]"),
        ("[ \"a\" ]", "[ \"a\", \"n\" ]"),
        ("[\"a\",]", "[\"a\", \"n\",]"),
        ("[\n  \"a\",\n  \"b\"\n]", "[\n  \"a\",\n  \"b\",\n  \"n\"\n]"),
        ("[\n  \"a\",\n  \"b\",\n]", "[\n  \"a\",\n  \"b\",\n  \"n\",\n]"),
        ("[ # all\n  \"a\", # a\n  \"b\" # b\n  # end\n]", "[ # all\n  \"a\", # a\n  \"b\", # b\n  # end\n  \"n\"\n]"),
        ("[\n    # none\n]", "[\n    # none\n    \"n\",\n]"),
    ] {
        added(&text(before), &[probe("n")], &text(after));
    }
    for (before, name, after) in [
        ("[\"a\", \"b\", \"c\"]", "a", "[\"b\", \"c\"]"),
        ("[\"a\", \"b\", \"c\"]", "b", "[\"a\", \"c\"]"),
        ("[\"a\", \"b\", \"c\"]", "c", "[\"a\", \"b\"]"),
        ("[ \"a\" ]", "a", "[ ]"),
        ("[\"a\",]", "a", "[]"),
        ("[\n  \"a\", # a\n  # of b\n  \"b\", # b\n  \"c\", # c\n]", "b", "[\n  \"a\", # a\n  \"c\", # c\n]"),
        ("[\n  \"a\", # a\n  \"b\" # b\n]", "b", "[\n  \"a\" # a\n]"),
        ("[ # all\n  \"a\", # a\n  \"b\", # b\n]", "a", "[ # all\n  \"b\", # b\n]"),
        ("[\n  # apart\n\n  # of a\n  \"a\",\n  \"b\",\n]", "a", "[\n  # apart\n\n  \"b\",\n]"),
    ] {
        removed(&text(before), &[probe(name)], &text(after));
    }
}

#[test]
fn rules_are_keys() {
    let text = |rules: &str| format!("{AGENT}[relocate]\n{rules}\n[args]\n");
    let before = "# of a\n\"a\" = 'x.a' # here\n\n# of b\nb = \"x.b\"\n";
    let after = "# of a\n\"a\" = 'x.a' # here\n\n# of b\nb = \"x.b\"\n\"c.D\" = \"x.c\"\n";
    added(&text(before), &[rule("c.D", "x.c")], &text(after));
    removed(&text(after), &[rule("c.D", "x.c")], &text(before));
    removed(&text(before), &[moved("b")], &text("# of a\n\"a\" = 'x.a' # here\n"));
    let apart = "# apart\n\n# of a\na = \"x\"\nb = \"y\"\n";
    removed(&text(apart), &[moved("a")], &text("# apart\n\nb = \"y\"\n"));
    let inline = format!("relocate = {{ \"a\" = \"b\" }}\n{AGENT}");
    added(&inline, &[rule("c", "d")], &format!("relocate = {{ \"a\" = \"b\", c = \"d\" }}\n{AGENT}"));

    let other = run(&text("a = \"x\""), Kind::Agent, How::Add, &[rule("a", "y")]).unwrap_err();
    assert_eq!(other.to_string(), "`[relocate]` of agent.toml moves `a` to something else: `x`");
    assert_eq!(other.hint().unwrap(), "remove that rule first: `fatagent remove relocation a`");
    let other = run(&text("a = \"x\""), Kind::Agent, How::Remove, &[rule("a", "y")]).unwrap_err();
    assert_eq!(other.to_string(), "`[relocate]` of agent.toml moves `a` to something else: `x`");
}

#[test]
fn what_is_not_there_is_not_removed() {
    let text = format!("{AGENT}[[extension]]\nfile = \"vendor/x.zip\"\n[probes]\ninclude = [\"p\"]\n[relocate]\n");
    for (item, message, hint) in [
        (
            zip("vendor/y.zip"),
            "`[[extension]]` of agent.toml has no extension with file `vendor/y.zip`",
            "did you mean `file = \"vendor/x.zip\"`?",
        ),
        (
            folder("vendor/x.zip"),
            "`[[extension]]` of agent.toml has no extension with path `vendor/x.zip`",
            "did you mean `file = \"vendor/x.zip\"`?",
        ),
        (probe("long/*.class"), "`[probes] include` of agent.toml has no probe `long/*.class`", "there are `p`"),
        (moved("a"), "`[relocate]` of agent.toml has no relocation of `a`", "`[relocate]` is empty"),
    ] {
        let error = run(&text, Kind::Agent, How::Remove, &[item]).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.hint().as_deref()), (message, Some(hint)));
    }
}

#[test]
fn a_cargo_manifest_holds_the_same_tables() {
    let cargo = "[package]\nname = \"p\"\nversion = \"1.0.0\"\n\n[dependencies] # none\n";
    let all = [zip("x"), probe("p"), rule("a", "b")];
    let after = format!(
        "{cargo}\n[[package.metadata.fatagent.extension]]\nfile = \"x\"\n\n[package.metadata.fatagent.probes]\ninclude = [\"p\"]\n\n[package.metadata.fatagent.relocate]\na = \"b\"\n"
    );
    let edited = run(cargo, Kind::Cargo, How::Add, &all).unwrap();
    assert_eq!(edited.text, after);
    let gone = run(&after, Kind::Cargo, How::Remove, &[zip("x"), probe("p"), moved("a")]).unwrap().text;
    let empty = "\n[package.metadata.fatagent.probes]\ninclude = []\n\n[package.metadata.fatagent.relocate]\n";
    assert_eq!(gone, format!("{cargo}{empty}"));

    let between =
        "[package]\nname = \"p\"\nversion = \"1.0.0\"\n[package.metadata.fatagent.args]\na = 1\n\n# lib\n[lib]\n";
    assert_eq!(
        run(between, Kind::Cargo, How::Add, &[zip("x")]).unwrap().text,
        "[package]\nname = \"p\"\nversion = \"1.0.0\"\n[package.metadata.fatagent.args]\na = 1\n\n\
         [[package.metadata.fatagent.extension]]\nfile = \"x\"\n\n# lib\n[lib]\n"
    );
    let inline =
        "[package]\nname = \"p\"\nversion = \"1.0.0\"\nmetadata.fatagent = { probes = { include = [\"p\"] } }\n";
    let edited = run(inline, Kind::Cargo, How::Add, &[zip("x"), rule("a", "b")]).unwrap().text;
    let toml = AgentToml::parse_cargo(&edited, "", CargoPackage::default(), &|_| None).unwrap().unwrap();
    assert_eq!((toml.extensions.len(), toml.relocate.len(), toml.probes.len()), (1, 1, 1), "{edited}");
}

#[test]
fn line_ends_and_marks_stay() {
    let windows = format!("\u{feff}{AGENT}[probes]\ninclude = [\n  \"a\",\n]\n").replace('\n', "\r\n");
    let edited = run(&windows, Kind::Agent, How::Add, &[probe("b"), zip("x")]).unwrap().text;
    assert_eq!(edited.matches('\n').count(), edited.matches("\r\n").count());
    let end = "[probes]\r\ninclude = [\r\n  \"a\",\r\n  \"b\",\r\n]\r\n\r\n[[extension]]\r\nfile = \"x\"\r\n";
    assert!(edited.starts_with("\u{feff}# head\r\n") && edited.ends_with(end), "{edited}");
    let open = format!("{AGENT}[probes]\ninclude = [\"a\"]");
    assert_eq!(
        run(&open, Kind::Agent, How::Add, &[probe("b")]).unwrap().text,
        format!("{AGENT}[probes]\ninclude = [\"a\", \"b\"]")
    );
}

#[test]
fn a_bad_text_or_result_is_refused() {
    for (text, item, message) in [
        ("[agent", zip("x"), "agent.toml:1:7: "),
        (
            "[agent]\nname = \"a\"\nversion = \"1\"\nnmae = 1\n",
            zip("x"),
            "agent.toml:4:1: unknown key in `[agent]`: `nmae`",
        ),
        (AGENT, zip(""), "agent.toml:7:8: `extension.file` must be a text that is not empty: ``"),
        (AGENT, zip("${env:GONE}"), "agent.toml:7:8: environment variable is not set: `GONE`"),
    ] {
        let error = run(text, Kind::Agent, How::Add, &[item]).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

fn texts() -> impl Strategy<Value = String> {
    let include = prop::sample::select(vec![
        "[]",
        "[\"a\", \"b\"]",
        "[ # c\n  \"a\", # a\n\n  # b\n  \"b\" ]",
        "[\n\"a\"\n,\n# x\n\"b\",\n\n]",
    ]);
    let tables = prop::sample::subsequence(
        vec![
            "# c1\n[args]\nx = 1 # one\n",
            "[[extension]] # first\nfile = \"f\"\n[extension.relocate]\nq = \"r\"\n",
            "\n# c2\n\n# c3\n[relocate]\n  # k\n  a = \"b\"\n",
            "[discover]\nmembers = []\n# c4\n",
        ],
        0..=4,
    );
    (include, tables, "(# end\n)?").prop_map(|(include, tables, end)| {
        format!(
            "{AGENT}{}[probes]\ninclude = {include}\n{}{end}",
            tables[..tables.len() / 2].concat(),
            tables[tables.len() / 2..].concat()
        )
    })
}

proptest! {
    #[test]
    fn what_is_added_and_removed_leaves_the_text(text in texts(), which in 0..2_usize) {
        let item = [zip("new.zip"), probe("new.class")][which].clone();
        let added = run(&text, Kind::Agent, How::Add, std::slice::from_ref(&item)).unwrap();
        prop_assert!(added.changed[0]);
        for line in text.lines() {
            // A comma may be added to the last of an array.
            let part = line.split(['"', ']']).next().unwrap_or_default();
            prop_assert!(added.text.lines().any(|kept| kept.contains(part)), "{line:?} in\n{}", added.text);
        }
        let back = run(&added.text, Kind::Agent, How::Remove, &[item]).unwrap().text;
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect::<String>();
        prop_assert_eq!(bare(&back), bare(&text));
    }
}
