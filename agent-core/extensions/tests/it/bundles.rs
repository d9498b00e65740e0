//! The forms in which extensions are installed.

use extensions::Files;
use fixtures::Jar;

use crate::world::{World, api, implementation, relative};

const USER: &str = "home/.btrace/extensions";

fn files(world: &World, id: &str) -> Vec<String> {
    let resolved = world.resolve();
    let extension = resolved.by_id(id).unwrap_or_else(|| panic!("no {id}: {:?}", world.reports(&resolved)));
    match &extension.files {
        Files::Embedded { jar } | Files::Flat { jar } => vec![relative(jar, world)],
        Files::Pair { api, implementation } => vec![relative(api, world), relative(implementation, world)],
        Files::Zip { zip, api, implementation } => vec![relative(zip, world), api.clone(), implementation.clone()],
    }
}

#[test]
fn folders_zips_and_jars_are_read() {
    let world = World::new();
    world.pair(USER, "pair", "1.0.0", &[]);
    world.zip(&format!("{USER}/odd %2B + #é.zip"), "zip", "1.0.0", &[("BTrace-Extension-Impl", "x-impl.jar")]);
    world.jar(&format!("{USER}/flat-1.0.jar"), &api("flat", "1.0.0", &[]));
    world.jar(&format!("{USER}/loose-api.jar"), &api("loose", "1.0.0", &[]));
    world.jar(&format!("{USER}/loose-impl.jar"), &implementation());
    world.jar(&format!("{USER}/named/n-api.jar"), &api("named", "1.0.0", &[("BTrace-Extension-Impl", "rest.jar")]));
    world.jar(&format!("{USER}/named/rest.jar"), &implementation());
    assert_eq!(
        files(&world, "pair"),
        ["*/home/.btrace/extensions/pair/pair-1.0.0-api.jar", "*/home/.btrace/extensions/pair/pair-1.0.0-impl.jar"]
    );
    assert_eq!(files(&world, "zip"), ["*/home/.btrace/extensions/odd %2B + #é.zip", "x-api.jar", "x-impl.jar"]);
    assert_eq!(files(&world, "flat"), ["*/home/.btrace/extensions/flat-1.0.jar"]);
    assert_eq!(
        files(&world, "loose"),
        ["*/home/.btrace/extensions/loose-api.jar", "*/home/.btrace/extensions/loose-impl.jar"]
    );
    assert_eq!(
        files(&world, "named"),
        ["*/home/.btrace/extensions/named/n-api.jar", "*/home/.btrace/extensions/named/rest.jar"]
    );
    assert_eq!(world.reports(&world.resolve()), [] as [&str; 0]);
    let found = |name: &str| extensions::at(&world.path(name)).unwrap().len();
    assert_eq!((found(USER), found(&format!("{USER}/pair")), found(&format!("{USER}/flat-1.0.jar"))), (5, 1, 1));
    assert_eq!(found(&format!("{USER}/loose-api.jar")), 1);
}

#[test]
fn a_zip_completes_what_the_manifest_leaves_open() {
    let world = World::new();
    let zip = Jar::new()
        .stored("a-api.jar", &api("a", "1.0.0", &[]).bytes().unwrap())
        .stored("a-impl.jar", &implementation().bytes().unwrap())
        .file(
            "extension.properties",
            b"id=other\nversion=9\nconfigurator=acme.Configurator\nprobes=P\nsetting.n.type=integer\nsetting.n.default=3\n",
        );
    world.jar(&format!("{USER}/a.zip"), &zip);
    world.file("home/.btrace/extensions.conf", "a.n=4\na.m=5\n");
    let resolved = world.resolve();
    let a = resolved.by_id("a").unwrap();
    assert_eq!((a.metadata.version.as_str(), a.metadata.configurator.as_deref()), ("1.0.0", Some("acme.Configurator")));
    assert_eq!(a.settings, [("n".to_owned(), "4".to_owned()), ("m".to_owned(), "5".to_owned())]);
}

#[test]
fn descriptions_of_old_are_denied_and_told() {
    let world = World::new();
    let old = Jar::new().file("META-INF/btrace-extension.properties", b"extension.id=old\nextension.version=1.0\n");
    world.jar(&format!("{USER}/old.jar"), &old);
    let resolved = world.resolve();
    assert_eq!(
        world.listing(&resolved),
        [
            "old 1.0 user: the extension `old` is denied: it declares no permissions; hint: build it again with `fatagent extension \
          build`, which declares its permissions"
        ]
    );
    assert_eq!(
        world.reports(&resolved),
        [
            "*/home/.btrace/extensions/old.jar describes the extension `old` by btrace-extension.properties, which is deprecated \
          and declares no permissions; hint: build it again with `fatagent extension build`"
        ]
    );
}

#[test]
fn what_is_no_extension_or_damaged_is_told_and_left_out() {
    let world = World::new();
    world.pair(USER, "fine", "1.0.0", &[]);
    world.file(&format!("{USER}/a-text.zip"), "no zip");
    let whole = fs_err::read(world.zip("whole.zip", "cut", "1.0.0", &[])).unwrap();
    fs_err::write(world.path(&format!("{USER}/b-cut.zip")), &whole[..whole.len() / 2]).unwrap();
    world.jar(&format!("{USER}/c-empty.zip"), &Jar::new());
    world.jar(&format!("{USER}/d/x-api.jar"), &api("d", "1.0.0", &[]));
    world.jar(&format!("{USER}/e.jar"), &Jar::new());
    world.jar(&format!("{USER}/f.jar"), &api("f", "1.0.0", &[]).forced("../../evil", b"x"));
    world.jar(&format!("{USER}/g.jar"), &Jar::new().attribute("BTrace-Extension-Version", "1"));
    world.file(&format!("{USER}/README.txt"), "not looked at");
    let resolved = world.resolve();
    assert_eq!(world.listing(&resolved), ["fine 1.0.0 user"]);
    let mut reports = world.reports(&resolved);
    reports.sort();
    let folder = "`*/home/.btrace/extensions";
    for (text, report) in [
        (format!("{folder}/a-text.zip` cannot be read as a zip: "), "; hint: install the extension again"),
        (format!("{folder}/b-cut.zip` cannot be read as a zip: "), "; hint: install the extension again"),
        (format!("{folder}/c-empty.zip` is no extension: it has no `*-api.jar` at its root"), "or remove it"),
        (
            format!(
                "{folder}/d/x-api.jar` is no extension: `*/home/.btrace/extensions/d/x-impl.jar`, its implementation, is not there"
            ),
            "or remove it",
        ),
        (format!("{folder}/e.jar` is no extension: its manifest has no `BTrace-Extension-Id`"), "or remove it"),
        (
            format!("{folder}/f.jar` has an entry whose name is refused: `../../evil`"),
            "; hint: install the extension again",
        ),
        (format!("{folder}/g.jar!/META-INF/MANIFEST.MF` is malformed: extension description has no value for"), ""),
    ] {
        assert!(
            reports.iter().any(|line| line.starts_with(&text) && line.ends_with(report)),
            "{text}\nin {reports:#?}"
        );
    }
    assert_eq!(reports.len(), 7, "{reports:#?}");
}
