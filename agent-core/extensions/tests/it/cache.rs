//! The cache gives the answers that the files give, and is believed only as long as nothing changed.

use std::os::unix::fs::PermissionsExt as _;

use crate::world::{World, api};

const USER: &str = "home/.btrace/extensions";
const CACHE: &str = "home/.btrace/cache/extensions";

#[test]
fn answers_are_the_same_with_and_without() {
    let world = World::new();
    world.pair(
        USER,
        "a",
        "1.0.0",
        &[("BTrace-Extension-Requires", "b"), ("BTrace-Extension-Description", "50 % more")],
    );
    world.zip(&format!("{USER}/b.zip"), "b", "1.0.0", &[("BTrace-Extension-Permissions", "MESSAGING,GPU")]);
    world.jar(&format!("{USER}/c.jar"), &api("c", "1.0.0", &[]));
    let cold = world.resolve();
    assert!(world.path(CACHE).is_file());
    let mode = fs_err::metadata(world.path(CACHE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let warm = world.resolve();
    assert_eq!(cold.extensions, warm.extensions);
    assert_eq!(cold.reports, warm.reports);
    // What is believed really comes from the cache.
    let text = fs_err::read_to_string(world.path(CACHE)).unwrap();
    fs_err::write(world.path(CACHE), text.replace("1.0.0", "7.0.0")).unwrap();
    assert_eq!(world.resolve().by_id("c").unwrap().metadata.version, "7.0.0");
    // But not if others could have written it.
    fs_err::set_permissions(world.path(CACHE), std::fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(world.resolve().by_id("c").unwrap().metadata.version, "1.0.0");
}

#[test]
fn changes_are_seen() {
    let world = World::new();
    world.pair(USER, "a", "1.0.0", &[]);
    world.zip(&format!("{USER}/b.zip"), "b", "1.0.0", &[]);
    world.jar(&format!("{USER}/c.jar"), &api("c", "1.0.0", &[]));
    world.resolve();
    world.jar(&format!("{USER}/a/a-1.0.0-api.jar"), &api("a", "1.1.0", &[]));
    world.zip(&format!("{USER}/b.zip"), "b", "1.1.0", &[]);
    world.jar(&format!("{USER}/c.jar"), &api("c", "1.1.0", &[]));
    assert_eq!(world.listing(&world.resolve()), ["a 1.1.0 user", "b 1.1.0 user", "c 1.1.0 user"]);
    world.jar(&format!("{USER}/d.jar"), &api("d", "1.0.0", &[]));
    fs_err::remove_file(world.path(&format!("{USER}/a/a-1.0.0-impl.jar"))).unwrap();
    let resolved = world.resolve();
    assert_eq!(world.listing(&resolved), ["b 1.1.0 user", "c 1.1.0 user", "d 1.0.0 user"]);
    assert!(world.reports(&resolved)[0].contains("its implementation, is not there"));
}

#[test]
fn a_damaged_cache_and_a_home_that_cannot_be_written_do_no_harm() {
    let world = World::new();
    world.pair(USER, "a", "1.0.0", &[]);
    for text in ["", "fatagent-extensions 2\n", "fatagent-extensions 1\nRx\nS1 2\n", "fatagent-extensions 1\nF%zz\n"] {
        world.file(CACHE, text);
        assert_eq!(world.listing(&world.resolve()), ["a 1.0.0 user"], "{text}");
    }
    fs_err::remove_file(world.path(CACHE)).unwrap();
    fs_err::remove_dir(world.path("home/.btrace/cache")).unwrap();
    // A file where the folder should be.
    world.file("home/.btrace/cache", "x");
    assert_eq!(world.listing(&world.resolve()), ["a 1.0.0 user"]);
}
