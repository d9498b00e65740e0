//! What runs code that is not there when it is scanned.

use manifests::permission::Permission::{self, Classloader, FileRead, FileWrite};

use super::{Check, Rule};

const LOADER: &[Permission] = &[Classloader];

pub(super) const RULES: &[Rule] = &[
    Rule::all("javax/script/", LOADER, "runs scripts").with(Check::Unscannable),
    Rule::all("javax/tools/", &[Classloader, FileRead, FileWrite], "compiles classes").with(Check::Unscannable),
    Rule::all("jdk/jshell/", LOADER, "runs source code").with(Check::Unscannable),
    Rule::all("jdk/nashorn/", LOADER, "runs scripts").with(Check::Unscannable),
    Rule::all("javax/management/loading/", LOADER, "loads classes"),
];
