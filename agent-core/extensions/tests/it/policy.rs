//! What policy decides, wherever the extension and the policy are.

use crate::world::World;

const USER: &str = "home/.btrace/extensions";
const PERMISSIONS: &str = "BTrace-Extension-Permissions";
const EMBEDDED: &str = "META-INF/btrace/permissions.properties";
const FILE: &str = "home/.btrace/permissions.properties";

fn refusal(world: &World, id: &str) -> Option<String> {
    let resolved = world.resolve();
    resolved.by_id(id).unwrap_or_else(|| panic!("no {id}: {:?}", world.reports(&resolved))).refusal()
}

#[test]
fn permission_data_is_asked_for_and_has_to_be_known() {
    let world = World::new();
    for (id, permissions) in [("none", ""), ("absent", "-"), ("net", "NETWORK,EXEC"), ("new", "MESSAGING,GPU")] {
        world.pair(USER, id, "1.0.0", &[(PERMISSIONS, permissions)]);
    }
    for _ in 0..2 {
        // The second time from the cache.
        assert_eq!(refusal(&world, "none"), None);
        assert_eq!(
            refusal(&world, "absent").unwrap(),
            "the extension `absent` is denied: it declares no permissions; hint: build it again with permissions that this version \
             knows"
        );
        assert_eq!(
            refusal(&world, "net").unwrap(),
            "the extension `net` is denied: nothing grants the privileged `NETWORK`, `EXEC`; hint: `fatagent ext allow net` lets it \
             have them"
        );
        assert_eq!(
            refusal(&world, "new").unwrap(),
            "the extension `new` is denied: its permissions cannot be read: unknown permission: `GPU`; hint: build it again with \
             permissions that this version knows"
        );
    }
}

#[test]
fn the_first_file_replaces_the_embedded_policy_unless_it_is_sealed() {
    for (sealed, denied) in [("", false), ("sealed=true\n", true)] {
        let mut world = World::new();
        world.agent("agent.jar", &[], &[(EMBEDDED, &format!("{sealed}grant=NETWORK\n"))]);
        world.pair(USER, "net", "1.0.0", &[(PERMISSIONS, "NETWORK")]);
        world.pair(USER, "exec", "1.0.0", &[(PERMISSIONS, "EXEC")]);
        assert_eq!((refusal(&world, "net"), refusal(&world, "exec").is_some()), (None, true));
        world.file("home/.config/btrace/permissions.properties", "grant=NETWORK,EXEC\n");
        assert_eq!(refusal(&world, "exec").is_some(), denied);
        let reports = world.reports(&world.resolve());
        assert_eq!(
            reports.iter().any(|r| r.contains("sealed, so this is refused: `EXEC` of every extension")),
            denied,
            "{reports:?}"
        );
        // The other file counts now; it grants nothing, and neither does the embedded policy beside it.
        world.file(FILE, "denyExtensions=other\n");
        assert!(refusal(&world, "net").is_some() && refusal(&world, "exec").is_some());
        let named = world.file("named.properties", "grantAll=true\ndeny=EXEC\n");
        world.host.properties.push(("btrace.permissions".to_owned(), named.display().to_string()));
        assert_eq!(refusal(&world, "net"), None);
        assert!(refusal(&world, "exec").unwrap().contains("`deny` names `EXEC`"));
        world.argument("grant=EXEC;NETWORK");
        assert!(refusal(&world, "exec").is_some(), "whatever denies, beats what allows");
        world.argument("denyExtensions=net");
        assert!(refusal(&world, "net").unwrap().contains("`denyExtensions` names it"));
    }
}

#[test]
fn an_argument_widens_an_open_policy_and_not_a_sealed_one() {
    for (sealed, granted) in [("", true), ("sealed=true\n", false)] {
        let mut world = World::new();
        world.agent("agent.jar", &[], &[(EMBEDDED, sealed)]);
        world.pair(USER, "net", "1.0.0", &[(PERMISSIONS, "NETWORK")]);
        for argument in ["grant=network", "grantAll", "allowPrivileged=true", "allowExtensions=net"] {
            world.arguments = format!("systemExtensions=,{argument}");
            assert_eq!(refusal(&world, "net").is_none(), granted, "{argument}");
            let reports = world.reports(&world.resolve());
            assert_eq!(
                reports.iter().filter(|report| report.contains("sealed, so this is refused")).count(),
                usize::from(!granted)
            );
        }
    }
}

#[test]
fn the_decision_is_the_same_embedded_and_on_disk() {
    let mut world = World::new();
    let properties = "id=in\nversion=1\npermissions=NETWORK,EXEC\n";
    world.agent("agent.jar", &[], &[]);
    let jar = fixtures::Jar::new()
        .attribute("BTrace-Embedded-Extensions", "in")
        .file("META-INF/btrace-extensions/in/extension.properties", properties.as_bytes());
    world.agents = vec![world.jar("agent.jar", &jar)];
    world.pair(USER, "on", "1", &[(PERMISSIONS, "NETWORK,EXEC")]);
    let both = |world: &World| {
        (refusal(world, "in"), refusal(world, "on").map(|text| text.replace("on`", "in`").replace(" on ", " in ")))
    };
    let (embedded, installed) = both(&world);
    assert!(embedded.is_some());
    assert_eq!(embedded, installed);
    world.file(FILE, "grant=NETWORK,EXEC\n");
    assert_eq!(both(&world), (None, None));
}

#[test]
fn a_policy_that_cannot_be_read_grants_nothing() {
    let world = World::new();
    world.pair(USER, "none", "1.0.0", &[]);
    let mut named = World::new();
    named.pair(USER, "none", "1.0.0", &[]);
    named.host.properties.push(("btrace.permissions".to_owned(), "/no/such/file".to_owned()));
    world.file(FILE, "grnat=NETWORK\n");
    for (world, text) in [(&world, "not a key of a policy: `grnat`"), (&named, "/no/such/file")] {
        let refusal = refusal(world, "none").unwrap();
        assert!(refusal.contains("the policy") && refusal.contains(text), "{refusal}");
        assert!(world.reports(&world.resolve()).iter().any(|report| report.starts_with("no extension is granted: ")));
    }
}
