//! Every description that is no foreign jar, with the place where it is written.

use crate::agent::{ATTRIBUTES, BOOT, refused, section, toml, work};

#[test]
fn sections_that_cannot_be_ones() {
    let work = work();
    let at = "agent.toml:7:1: ";
    for (path, more, message) in [
        ("/", "", "`/` cannot be a section: it is empty"),
        (".", "", "`.` cannot be a section: it holds a `.` or `..` part"),
        ("../inst", "", "`../inst` cannot be a section: it holds a `.` or `..` part"),
        ("/inst", "", "`/inst` cannot be a section: it starts with `/`"),
        ("a//b", "", "`a//b` cannot be a section: it holds an empty part"),
        ("a\\\\b", "", "`a\\b` cannot be a section: it holds a backslash"),
        (" inst", "", "` inst` cannot be a section: it begins or ends with a blank"),
        ("META-INF", "", "`META-INF` cannot be a section: the manifest of the jar is there"),
        ("META-INF/services", "", "`META-INF/services` cannot be a section: `ServiceLoader` takes"),
        ("META-INF/services/acme", "", "`META-INF/services/acme` cannot be a section: `ServiceLoader` takes"),
        ("META-INF/versions/9", "", "`META-INF/versions/9` cannot be a section: the JVM takes"),
        ("META-INF/acme", "versions = \"root\"\n", "`META-INF/acme` cannot be a section: with `versions = \"root\"`"),
        ("inst", "suffix = \"classdata\"\n", "suffix of section `inst` does not begin with a dot: `classdata`"),
        ("inst", "suffix = \".class\"\n", "suffix of section `inst` would let every loader see the classes: `.class`"),
        ("inst", "suffix = \".\"\n", "suffix of section `inst` is not a dot with letters"),
        ("inst", "suffix = \".a/b\"\n", "suffix of section `inst` is not a dot with letters"),
        ("inst", "parent = \"platform\"\n", "`parent` (the vendor's own loader decides) of the section `inst`"),
        ("inst", "exclude = [\"no/**\"]\n", "`exclude` matches no entry of its jars: `no/**`"),
    ] {
        toml(&work, "", "", &format!("{BOOT}{}{ATTRIBUTES}", section(path, more)));
        let stderr = refused(&work);
        assert!(stderr.contains(&format!("{at}{message}")), "{path} {more}: {stderr}");
    }
    toml(&work, "", "", &format!("{BOOT}{}{}{ATTRIBUTES}", section("inst", ""), section("inst/", "")));
    assert!(refused(&work).contains("agent.toml:10:1: two sections have the path: `inst/`"));
}

#[test]
fn keys_that_match_nothing_or_say_nothing() {
    let work = work();
    let rest = format!("{BOOT}{}{ATTRIBUTES}", section("inst", ""));
    for (top, of_agent, rest, message) in [
        (
            "exclude = [\"no/**\"]\n",
            "",
            rest.as_str(),
            "agent.toml:1:1: `exclude` matches no entry of the inputs: `no/**`",
        ),
        ("exclude = [\"/a\"]\n", "", &rest, "agent.toml:1:1: not a pattern: `/a`: it is not relative"),
        (
            "flatten-versions = [\"no.such\"]\n",
            "",
            &rest,
            "agent.toml:1:1: `flatten-versions` matches no versioned copy of the inputs: `no.such`",
        ),
        (
            "flatten-versions = [\"a.*\"]\n",
            "",
            &rest,
            "agent.toml:1:1: `flatten-versions` takes names of packages such as `com.acme`, not: `a.*`",
        ),
        (
            "",
            "",
            ATTRIBUTES,
            "agent.toml:1:1: `layout = \"foreign\"` needs a base, or `[bootstrap]` with `from` or `include`",
        ),
        ("", "base = \"builtin\"\n", &rest, "agent.toml:5:1: `base = \"builtin\"` with `layout = \"foreign\"`"),
        ("", "", &format!("{BOOT}{}", section("inst", "")), "agent.toml: the manifest names no entry class"),
        (
            "",
            "",
            &format!(
                "{BOOT}{}[manifest]\nattributes = {{ Premain-Class = \"acme.agent.Start\" }}\n",
                section("inst", "")
            ),
            "`Premain-Class` names a class that is not at the root of the jar: `acme.agent.Start`\nhint: the JVM looks at the \
             root only: add `acme/agent/Start.class` of `agent.jar` to `[bootstrap]`",
        ),
        (
            "",
            "",
            &format!("{rest}[[files]]\nfrom = [\"no/*.jar\"]\ninto = \"x\"\n"),
            "agent.toml:12:1: pattern matches no file: `no/*.jar`",
        ),
        (
            "",
            "",
            &format!("{rest}[[files]]\nfrom = [\"agent.toml\"]\ninto = \"../x\"\n"),
            "agent.toml:12:1: `../x` cannot be a folder of the jar: it holds a `.` or `..` part",
        ),
        (
            "",
            "",
            &format!("{rest}[[files]]\nfrom = [\"maven:g:a:1\"]\ninto = \"x\"\n"),
            "agent.toml:12:1: the local Maven repository does not have `g:a:1`",
        ),
        (
            "",
            "",
            &rest.replace("[\"boot.jar\"]", "[\"boot.jar\"]\ninclude = [\"no/**\"]"),
            "agent.toml:7:1: `include` matches no entry of the inputs: `no/**`",
        ),
        (
            "",
            "",
            &rest.replace("attributes = {", "attributes = { Fatagent-Sections = \"x\","),
            "manifest attribute is set by fatagent and cannot be changed: `Fatagent-Sections`",
        ),
        ("", "", &format!("{rest}[args]\nport = 1\n"), "`args` with `layout = \"foreign\"` is not supported"),
    ] {
        toml(&work, top, of_agent, rest);
        let stderr = refused(&work);
        assert!(stderr.contains(message), "{message}\n{stderr}");
    }
}

#[test]
fn extensions_of_ours_cannot_be_embedded() {
    let work = work();
    toml(&work, "", "", &format!("{BOOT}{}{ATTRIBUTES}", section("inst", "")));
    let run = work.fatagent(&["build", "--embed", "a"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("agent.toml: `--embed` with `layout = \"foreign\"` is not supported"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_nested_jar_that_is_none_is_refused() {
    let work = work();
    fs_err::write(work.path("bad.jar"), "text").unwrap();
    let files = "[[files]]\nfrom = [\"bad.jar\"]\ninto = \"extensions\"\n";
    toml(&work, "", "", &format!("{BOOT}{}{ATTRIBUTES}{files}", section("inst", "")));
    assert!(refused(&work).contains("not a jar: `bad.jar`"));
}

#[test]
fn what_bootstrap_leaves_out_is_reported() {
    let work = work();
    let bootstrap = "[bootstrap]\nfrom = [\"boot.jar\", \"extra.jar\"]\ninclude = [\"acme/boot/*\"]\n";
    toml(&work, "", "", &format!("{bootstrap}{}{ATTRIBUTES}", section("inst", "")));
    let stderr = crate::agent::build(&work, &[]);
    assert!(
        stderr.contains(
            "files of `extra.jar` are left out, since `[bootstrap]` does not include them and no section has the jar, 2: \
             `META-INF/services/acme.agent.Spi` …"
        ),
        "{stderr}"
    );
}
