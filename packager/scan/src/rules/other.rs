//! What runs code that is not there when it is scanned.

use manifests::permission::Permission::{self, Classloader, FileRead, FileWrite, Reflection};

use super::{Check, Rule};

const LOADER: &[Permission] = &[Classloader];

pub(super) const RULES: &[Rule] = &[
    Rule::all("javax/script/", LOADER, "runs scripts").with(Check::Unscannable),
    Rule::all("javax/tools/", &[Classloader, FileRead, FileWrite], "compiles classes").with(Check::Unscannable),
    Rule::all("jdk/jshell/", LOADER, "runs source code").with(Check::Unscannable),
    Rule::all("jdk/nashorn/", LOADER, "runs scripts").with(Check::Unscannable),
    Rule::of(
        "javax/management/MBeanServer",
        &["invoke", "setAttribute", "setAttributes"],
        &[Reflection],
        "calls operations by name",
    )
    .with(Check::Unscannable),
    Rule::of(
        "javax/management/MBeanServerConnection",
        &["invoke", "setAttribute", "setAttributes"],
        &[Reflection],
        "calls operations by name",
    )
    .with(Check::Unscannable),
    Rule::of(
        "javax/management/MBeanServer",
        &["createMBean", "instantiate"],
        &[Reflection, Classloader],
        "makes an instance of a class by name",
    )
    .with(Check::Unscannable),
    Rule::all("javax/management/loading/", LOADER, "loads classes"),
];
