//! Signed extensions, made with the JDK's own tools.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::world::{World, api, implementation};

/// Gives an entry its new content, or takes it away.
type Edit<'a> = &'a dyn Fn(&str, Vec<u8>) -> Option<Vec<u8>>;

const CLASS: &str = ".class";
const USER: &str = "home/.btrace/extensions";

fn tool(name: &str, arguments: &[&str], jar: Option<&Path>) {
    let home = fixtures::compiler_home().unwrap();
    let mut command = Command::new(home.tool(name).unwrap());
    command.args(arguments).args(jar).arg("key");
    if jar.is_none() {
        command.args(["-dname", "CN=key"]);
    }
    let output = fixtures::run(&mut command, Duration::from_mins(1)).unwrap();
    assert!(output.status.success(), "{}", output.both());
}

#[test]
fn a_signature_that_does_not_hold_denies() {
    let world = World::new();
    let store = world.path("keys.p12").display().to_string();
    let key = ["-keystore", &store, "-storepass", "secret", "-storetype", "PKCS12"];
    tool("keytool", &[&["-genkeypair", "-keyalg", "EC"], &key[..], &["-alias"]].concat(), None);
    let places = [format!("{USER}/s/s-api.jar"), format!("{USER}/s/s-impl.jar"), format!("{USER}/flat.jar")];
    let jars = [api("s", "1.0.0", &[]), implementation(), api("flat", "1.0.0", &[])];
    let signed: Vec<_> = places
        .iter()
        .zip(&jars)
        .map(|(place, jar)| {
            let path = world.jar(place, jar);
            tool("jarsigner", &key, Some(&path));
            path
        })
        .collect();
    assert_eq!(world.listing(&world.resolve()), ["flat 1.0.0 user", "s 1.0.0 user"]);

    // Written anew with the signature of before, each with another change.
    let change = |path: &Path, edit: Edit<'_>, added: Option<&str>| {
        let mut jar = fixtures::Jar::new();
        let names = fixtures::entry_names(path).unwrap();
        for name in names.iter().filter(|name| !name.ends_with('/')) {
            let bytes = fixtures::read_entry(path, name).unwrap();
            if name == "META-INF/MANIFEST.MF" {
                jar = jar.manifest(&edit(name, bytes).unwrap());
            } else if let Some(bytes) = edit(name, bytes) {
                jar = jar.file(name, &bytes);
            }
        }
        if let Some(name) = added {
            jar = jar.file(name, b"new");
        }
        jar.write(path).unwrap();
    };
    let original: Vec<Vec<u8>> = signed.iter().map(|path| fs_err::read(path).unwrap()).collect();
    let why = |id: &str| world.resolve().by_id(id).unwrap().refusal().map(|text| world.plain(&text));
    let keep = |_: &str, bytes: Vec<u8>| Some(bytes);
    change(&signed[1], &|name, bytes| Some(if name.ends_with(CLASS) { b"evil".to_vec() } else { bytes }), None);
    assert_eq!(
        why("s").unwrap(),
        "the extension `s` cannot be used: the signature of */home/.btrace/extensions/s/s-api.jar does not hold: `impl/Impl.class` \
         is not what was signed; hint: install it again"
    );
    for (text, edit, added) in [
        ("was not signed", &keep as Edit<'_>, Some("evil/Evil.class")),
        ("was signed and is gone", &|name: &str, bytes| (!name.ends_with(CLASS)).then_some(bytes), None),
        (
            "is not the one that was signed",
            &|name: &str, bytes| {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let grown =
                    text.replace("BTrace-Extension-Id: flat", "BTrace-Extension-Id: flat\r\nBTrace-Extension-Name: x");
                Some(if name.ends_with("MANIFEST.MF") { grown.into_bytes() } else { bytes })
            },
            None,
        ),
    ] {
        change(&signed[2], edit, added);
        assert!(why("flat").unwrap().contains(text), "{text}: {:?}", why("flat"));
        fs_err::write(&signed[2], &original[2]).unwrap();
        assert_eq!(why("flat"), None);
    }
}
