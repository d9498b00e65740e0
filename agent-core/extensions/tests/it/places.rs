//! Where extensions are looked for, and which one of an id counts.

use extensions::Kind;

use crate::world::World;

const USER: &str = "home/.btrace/extensions";

#[test]
fn later_places_override_earlier_ones() {
    let mut world = World::new();
    world.agent("agent.jar", &["a"], &[]);
    let places = ["btrace/extensions", "system", USER, "env one", "argument", "é/.btrace/extensions"];
    let mut expected = vec![(Kind::Embedded, "1.0.0".to_owned())];
    world.variable("BTRACE_EXT_PATH", world.path("env one"));
    world.argument(&format!("extPath={},allowScriptExtensions", world.path("argument").display()));
    world.scripts.push(world.path("é/Trace.class"));
    let kinds = [Kind::Home, Kind::System, Kind::User, Kind::Environment, Kind::Argument, Kind::Script];
    for (at, (place, kind)) in places.iter().zip(kinds).enumerate() {
        // Each later place has an older version, which counts nevertheless.
        let version = format!("0.{}.0", 9 - at);
        world.pair(place, "a", &version, &[]);
        expected.push((kind, version));
        let resolved = world.resolve();
        let found = resolved.by_id("a").unwrap();
        assert_eq!((found.place, found.metadata.version.clone()), expected[at + 1], "{place}");
        assert!(found.is_usable());
        let reports = world.reports(&resolved);
        let overrides: Vec<&String> = reports.iter().filter(|report| report.contains("is used instead of")).collect();
        assert_eq!(overrides.len(), at + 1, "{reports:?}");
    }
    let reports = world.reports(&world.resolve());
    assert!(
        reports.contains(
            &"the extension `a` 0.9.0 in */btrace/extensions/a/a-0.9.0-api.jar is used instead of 1.0.0 in */agent.jar"
                .to_owned()
        ),
        "{reports:?}"
    );
}

#[test]
fn the_latest_version_of_a_place_counts() {
    let world = World::new();
    world.pair(USER, "a", "1.2.0", &[]);
    world.zip(&format!("{USER}/old.zip"), "a", "1.1.0", &[]);
    world.zip(&format!("{USER}/new.zip"), "a", "1.10.0-SNAPSHOT", &[]);
    let resolved = world.resolve();
    assert_eq!(world.listing(&resolved), ["a 1.10.0-SNAPSHOT user"]);
    assert_eq!(
        world.reports(&resolved),
        [
            "the extension `a` 1.2.0 in */home/.btrace/extensions/a/a-1.2.0-api.jar is not used: \
             */home/.btrace/extensions/new.zip has 1.10.0-SNAPSHOT",
            "the extension `a` 1.1.0 in */home/.btrace/extensions/old.zip is not used: */home/.btrace/extensions/new.zip has \
             1.10.0-SNAPSHOT",
        ]
    );
}

#[test]
fn an_embedded_api_is_not_replaced_by_another_one() {
    let mut world = World::new();
    world.agent("agent.jar", &["a", "b", "c"], &[]);
    let other = crate::world::api("a", "2.0.0", &[]).file("a/New.class", b"new");
    world.jar(&format!("{USER}/a/x-api.jar"), &other);
    world.jar(&format!("{USER}/a/x-impl.jar"), &crate::world::implementation());
    let flat = fixtures::Jar::new()
        .attribute("BTrace-Extension-Id", "b")
        .attribute("BTrace-Extension-Permissions", "")
        .file("b/Service.class", b"another API of b");
    world.jar(&format!("{USER}/b.jar"), &flat);
    let same = crate::world::api("c", "2.0.0", &[]).file("c/Impl.class", b"code");
    world.jar(&format!("{USER}/c.jar"), &same);
    let resolved = world.resolve();
    assert_eq!(world.listing(&resolved), ["a 1.0.0 embedded", "b 1.0.0 embedded", "c 2.0.0 user"]);
    let reports = world.reports(&resolved);
    assert!(
        reports.contains(
            &"the extension `a` 2.0.0 in */home/.btrace/extensions/a/x-api.jar cannot replace the embedded 1.0.0, whose API is \
              loaded already: `a.New` is new; hint: build the agent with the new version"
                .to_owned()
        ),
        "{reports:?}"
    );
    assert!(reports.iter().any(|report| report.contains("`b.Service` is another class")), "{reports:?}");
}

#[test]
fn embedded_extensions_are_those_of_every_jar_that_lists_them() {
    let mut world = World::new();
    world.agent("one.jar", &["a", "gone/../x", "b"], &[]);
    world.agent("two.jar", &["b", "c"], &[]);
    let resolved = world.resolve();
    assert_eq!(world.listing(&resolved), ["a 1.0.0 embedded", "b 1.0.0 embedded", "c 1.0.0 embedded"]);
    let reports = world.reports(&resolved);
    assert!(reports[0].contains("not an extension id: `gone/../x`"), "{reports:?}");
    assert_eq!(reports[1], "the extension `b` is embedded in */one.jar and in */two.jar: that of the first counts");
    world.argument("noBuiltinExt");
    assert!(world.resolve().extensions.is_empty());
}

#[test]
fn extensions_beside_scripts_need_consent_and_the_right_owner() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut world = World::new();
    world.scripts.push(world.path("s/Trace.class"));
    world.pair("s/.btrace/extensions", "a", "1.0.0", &[]);
    let resolved = world.resolve();
    assert!(resolved.extensions.is_empty());
    assert_eq!(
        world.reports(&resolved),
        ["extensions in */s/.btrace/extensions are not used: they lie beside a script; hint: start with the argument \
          `allowScriptExtensions` if you trust them"]
    );
    world.argument("allowScriptExtensions");
    assert_eq!(world.listing(&world.resolve()), ["a 1.0.0 script"]);
    let folder = world.path("s/.btrace/extensions/a");
    fs_err::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let reports = world.reports(&world.resolve());
    assert!(reports[0].contains("everybody may write to */s/.btrace/extensions/a; hint: "), "{reports:?}");
    fs_err::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    world.host.user = world.host.user.map(|user| user + 1);
    let resolved = world.resolve();
    assert!(resolved.extensions.is_empty() && world.reports(&resolved)[0].contains("belongs to user"), "{resolved:?}");
}

#[test]
fn paths_of_btrace_conf_stand_for_the_usual_places() {
    let mut world = World::new();
    world.pair("btrace/extensions", "a", "1.0.0", &[]);
    world.pair("other", "b", "1.0.0", &[]);
    world.pair("env", "c", "1.0.0", &[]);
    world.variable("BTRACE_EXT_PATH", world.path("env"));
    world.file("home/.btrace/btrace.conf", "extension.path=${BTRACE_HOME}/../other\n");
    assert_eq!(world.listing(&world.resolve()), ["b 1.0.0 configured", "c 1.0.0 environment"]);
}

#[test]
fn named_places_that_are_not_there_and_older_spellings_are_told() {
    let mut world = World::new();
    world.variable("BTRACE_EXT_PATH", format!("{}:", world.path("gone").display()));
    world.zip("btrace/libs/extensions/a.zip", "a", "1.0.0", &[]);
    world.pair("home/.btrace/ext", "b", "1.0.0", &[]);
    let resolved = world.resolve();
    assert!(resolved.extensions.is_empty());
    assert_eq!(
        world.reports(&resolved),
        [
            "the place of extensions */gone does not exist; hint: name a folder of extensions, or an extension's jar or zip",
            "extensions in */btrace/libs/extensions are not read; hint: move them to BTRACE_HOME/extensions",
            "extensions in */home/.btrace/ext are not read; hint: move them to ~/.btrace/extensions",
        ]
    );
}

#[test]
fn what_is_required_comes_first_and_circles_and_gaps_are_told() {
    let world = World::new();
    let requires = "BTrace-Extension-Requires";
    world.pair(USER, "a", "1.0.0", &[(requires, "z,m")]);
    world.pair(USER, "m", "1.0.0", &[(requires, "z")]);
    world.pair(USER, "z", "1.0.0", &[]);
    world.pair(USER, "c1", "1.0.0", &[(requires, "c2")]);
    world.pair(USER, "c2", "1.0.0", &[(requires, "c1")]);
    world.pair(USER, "c3", "1.0.0", &[(requires, "c2")]);
    world.pair(USER, "g", "1.0.0", &[(requires, "nowhere")]);
    world.pair(USER, "d", "1.0.0", &[(requires, "off")]);
    world.pair(USER, "off", "1.0.0", &[]);
    world.file("home/.btrace/extensions.conf", "extensions.disabled=off\n");
    let resolved = world.resolve();
    let usable: Vec<&str> = resolved.usable().map(|extension| extension.metadata.id.as_str()).collect();
    assert_eq!(usable, ["z", "m", "a"]);
    let circle = "cannot be used: extensions require each other in a circle: `c1` -> `c2` -> `c1`";
    for (id, why) in [
        ("c1", circle),
        ("c2", circle),
        ("c3", "cannot be used: it requires the extension `c2`, which is not usable"),
        ("g", "cannot be used: it requires the extension `nowhere`, which is not there"),
        ("d", "cannot be used: it requires the extension `off`, which is disabled"),
    ] {
        assert_eq!(resolved.by_id(id).unwrap().refusal().unwrap(), format!("the extension `{id}` {why}"));
    }
}

#[test]
fn least_versions_and_switches_keep_extensions_from_being_used() {
    let mut world = World::new();
    world.pair(USER, "java", "1.0.0", &[("BTrace-Java-Version", "21+")]);
    world.pair(USER, "api", "1.0.0", &[("BTrace-API-Version", "3.1+")]);
    world.pair(USER, "text", "1.0.0", &[("BTrace-API-Version", "new")]);
    world.pair(USER, "fine", "1.0.0", &[("BTrace-API-Version", "3.0.0"), ("BTrace-Java-Version", "1.8")]);
    let listing = world.listing(&world.resolve());
    assert_eq!(
        listing,
        [
            "api 1.0.0 user: the extension `api` cannot be used: it needs the agent API 3.1+, this is 3.0; hint: use a newer agent",
            "fine 1.0.0 user",
            "java 1.0.0 user: the extension `java` cannot be used: it needs Java 21+, this is 17; hint: run the application on a \
             newer Java",
            "text 1.0.0 user: the extension `text` cannot be used: its least agent API is no version: `new`",
        ]
    );
    world.host.java = None;
    assert!(world.resolve().by_id("java").unwrap().is_usable());
    world.argument("ext=\"java,fin\"");
    let resolved = world.resolve();
    assert_eq!(
        resolved.by_id("fine").unwrap().refusal().unwrap(),
        "the extension `fine` is disabled: the argument `ext` does not name it"
    );
    assert_eq!(world.reports(&resolved), ["the argument `ext` names an extension that is not there: `fin`"]);
}

#[test]
fn one_service_of_two_extensions_is_that_of_the_later_place() {
    let world = World::new();
    let services = ("BTrace-Extension-Services", "common.Service");
    for (place, id) in [("btrace/extensions", "a"), (USER, "b")] {
        let jar = fixtures::Jar::new()
            .attribute("BTrace-Extension-Id", id)
            .attribute(services.0, services.1)
            .attribute("BTrace-Extension-Permissions", "");
        world.jar(&format!("{place}/{id}.jar"), &jar);
    }
    let resolved = world.resolve();
    assert_eq!(resolved.of_service("common.Service").unwrap().metadata.id, "b");
    assert_eq!(
        world.reports(&resolved),
        ["the service common.Service is offered by `b` and by `a`: that of the first is used"]
    );
}
