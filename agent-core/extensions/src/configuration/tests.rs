use super::*;
use manifests::setting::SettingType;
use std::ffi::OsString;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(self, name: &str, text: &str) -> Self {
        let file = self.0.path().join(name);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
        self
    }

    fn host(&self, variables: &[(&str, &str)]) -> Host {
        let path = self.0.path();
        let mut host = Host::default();
        host.variables.push(("HOME".into(), path.join("home").into()));
        host.variables.push(("BTRACE_HOME".into(), path.join("btrace").into()));
        host.variables.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))));
        host
    }

    fn read(&self, variables: &[(&str, &str)]) -> (Configuration, Vec<String>) {
        let mut reports = Vec::new();
        let host = self.host(variables);
        let configuration = Configuration::read(&host, Some(("jar", b"a.x=1\na.y=jar\n")), &mut reports);
        (configuration, reports.iter().map(|report| report.replace(&*self.0.path().to_string_lossy(), "*")).collect())
    }
}

const USER: &str = "home/.btrace/extensions.conf";
const SYSTEM: &str = "btrace/conf/extensions.conf";

fn of(configuration: &Configuration, id: &str, known: &[&str]) -> Vec<String> {
    let settings = configuration.settings_of(id, &[], known, &mut Vec::new());
    settings.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn the_first_file_alone_counts_over_the_jar_key_by_key() {
    let home = Home::new();
    assert_eq!(of(&home.read(&[]).0, "a", &["a"]), ["x=1", "y=jar"]);
    let home = home.with(SYSTEM, "a.x=system\na.z=3\n");
    assert_eq!(of(&home.read(&[]).0, "a", &["a"]), ["x=system", "y=jar", "z=3"]);
    let home = home.with(USER, "a.y=user\n");
    assert_eq!(of(&home.read(&[]).0, "a", &["a"]), ["x=1", "y=user"]);
    let home = home.with("named.conf", "extensions.disabled=a\n");
    let mut host = home.host(&[]);
    let named = home.0.path().join("named.conf");
    host.properties.push((PROPERTY.to_owned(), named.display().to_string()));
    let mut reports = Vec::new();
    let configuration = Configuration::read(&host, None, &mut reports);
    assert!(reports.is_empty(), "{reports:?}");
    assert!(configuration.off("a", &["a"]).unwrap().ends_with("named.conf names it"));
    // One that is named and not there is told, and the next one counts.
    host.properties[0].1.push('x');
    let configuration = Configuration::read(&host, None, &mut reports);
    assert_eq!(of(&configuration, "a", &["a"]), ["y=user"]);
    assert!(reports[0].contains("named.confx") && reports[0].contains("hint: "), "{reports:?}");
}

#[test]
fn switches_of_both_files_are_looked_at() {
    let home = Home::new()
        .with(USER, "extensions.enabled=a,b,c,d\nextensions.disabled=b\nc.enabled=false\n")
        .with("home/.btrace/btrace.conf", "extension.d.enabled=false\nextension.a.enabled=true\n");
    let (configuration, reports) = home.read(&[]);
    assert!(reports.is_empty(), "{reports:?}");
    let known = ["a", "b", "c", "d", "e"];
    let off = |id| configuration.off(id, &known).map(|by| by.replace(&*home.0.path().to_string_lossy(), "*"));
    assert_eq!(off("a"), None);
    assert_eq!(off("b").unwrap(), "`extensions.disabled` in */home/.btrace/extensions.conf names it");
    assert_eq!(off("c").unwrap(), "`c.enabled` in */home/.btrace/extensions.conf is `false`");
    assert_eq!(off("d").unwrap(), "`extension.d.enabled` in */home/.btrace/btrace.conf is `false`");
    assert_eq!(off("e").unwrap(), "`extensions.enabled` in */home/.btrace/extensions.conf does not name it");
}

#[test]
fn loading_at_start_up_is_asked_for_in_three_places() {
    let eager = |home: &Home, variables: &[(&str, &str)]| !home.read(variables).0.on_demand;
    let home = Home::new();
    assert!(!eager(&home, &[]));
    assert!(eager(&home, &[("BTRACE_EXT_LAZY_LOAD", "false")]));
    let home = home.with(USER, "extensions.autoload=false");
    assert!(eager(&home, &[]) && !eager(&home, &[("BTRACE_EXT_LAZY_LOAD", "TRUE")]));
    let home = Home::new().with("btrace/conf/btrace.conf", "extension.lazy-load=false\nextension.fail-on-missing=true");
    assert!(eager(&home, &[]) && home.read(&[]).0.fail_on_missing);
    let (_, reports) = home.read(&[("BTRACE_EXT_LAZY_LOAD", "maybe")]);
    assert_eq!(reports, ["BTRACE_EXT_LAZY_LOAD=maybe is neither `true` nor `false`; hint: set it to one of them"]);
}

#[test]
fn paths_are_expanded() {
    let conf =
        "extension.path=${BTRACE_HOME}/extensions:${HOME}/ext ra\nextension.conflict-resolution=latest-version\n";
    let home = Home::new().with("btrace/conf/btrace.conf", conf);
    let (configuration, reports) = home.read(&[]);
    assert!(reports.is_empty(), "{reports:?}");
    let path = home.0.path();
    assert_eq!(configuration.path, Some(vec![path.join("btrace/extensions"), path.join("home/ext ra")]));
    let home = home.with("home/.btrace/btrace.conf", "extension.path=/a:${NO_SUCH}/b");
    let (configuration, reports) = home.read(&[]);
    assert_eq!(configuration.path, None, "the first file alone counts");
    assert_eq!(
        reports,
        [
            "*/home/.btrace/btrace.conf: `extension.path` names a variable that is not set: `${NO_SUCH}`; hint: set it, or write \
          the path"
        ]
    );
}

#[test]
fn variables_beat_files_and_the_longest_id_owns_them() {
    let home = Home::new().with(USER, "acme.metrics.stats.window-size=5\nacme.metrics.plain=x\n");
    let (configuration, _) = home.read(&[
        ("BTRACE_CONF_ACME_METRICS_STATS_WINDOW_SIZE", "9"),
        ("BTRACE_CONF_ACME_METRICS_SINK_NAME", "s"),
        ("BTRACE_CONF_ACME_METRICS_NEW_KEY", "n"),
        ("BTRACE_CONF_ACME_OWN", "o"),
        ("BTRACE_CONF_OTHER_KEY", "q"),
    ]);
    let known = ["acme", "acme.metrics"];
    let sink = Setting { name: "sink.name".to_owned(), kind: SettingType::String, default: None, help: None };
    let settings = configuration.settings_of("acme.metrics", &[sink], &known, &mut Vec::new());
    let mut texts: Vec<String> = settings.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    texts.sort();
    assert_eq!(texts, ["new.key=n", "plain=x", "sink.name=s", "stats.window-size=9"]);
    assert_eq!(of(&configuration, "acme", &known), ["own=o"]);
    assert_eq!(configuration.unowned(&known), ["the variable BTRACE_CONF_OTHER_KEY belongs to no extension there is"]);
}

#[test]
fn declared_settings_have_defaults_and_types() {
    let home = Home::new().with(USER, "a.digits=many\na.other=1\n");
    let (configuration, _) = home.read(&[]);
    let digits =
        Setting { name: "digits".to_owned(), kind: SettingType::Integer, default: Some("3".to_owned()), help: None };
    let mut reports = Vec::new();
    let settings = configuration.settings_of("a", &[digits], &["a"], &mut reports);
    assert_eq!(settings[0], ("digits".to_owned(), "3".to_owned()));
    assert!(reports[0].ends_with(
        "extensions.conf: `a.digits` is ignored, its value is of another type: `many`; hint: give it a value of type integer"
    ));
}

#[test]
fn what_belongs_to_nobody_and_what_cannot_be_read_is_told() {
    let home = Home::new()
        .with(USER, "acme-metrcs.size=1\nextensions.autoload=yes\nextensions.disabled=acme-metrix\nbad=\\u00zz\nacme-metrics.ok=1\n")
        .with("home/.btrace/btrace.conf", "extension.lazy-laod=true\nextension.lazy-load=no\nextension.conflict-resolution=first\n");
    let (configuration, reports) = home.read(&[]);
    let conf = "*/home/.btrace/extensions.conf";
    let agent = "*/home/.btrace/btrace.conf";
    assert_eq!(reports.len(), 5, "{reports:?}");
    assert!(
        reports[0].starts_with(&format!("{conf}: properties line 4 has a malformed unicode escape")),
        "{}",
        reports[0]
    );
    assert!(reports[1].starts_with(&format!("{conf}: `extensions.autoload` must be `true` or `false`: `yes`; hint: ")));
    assert_eq!(
        reports[2],
        format!("{agent} has an unknown key: `extension.lazy-laod`; hint: did you mean `extension.lazy-load`?")
    );
    assert!(reports[3].starts_with(&format!("{agent}: `extension.lazy-load` must be `true` or `false`: `no`")));
    assert!(reports[4].contains("`latest-version`, the only rule there is: `first`"), "{}", reports[4]);
    let known = ["acme-metrics"];
    let unowned: Vec<String> =
        configuration.unowned(&known).iter().map(|r| r.replace(&*home.0.path().to_string_lossy(), "*")).collect();
    assert_eq!(
        unowned,
        [
            format!(
                "{conf}: `acme-metrcs.size` belongs to no extension there is; hint: did you mean `acme-metrics.size`?"
            ),
            format!(
                "{conf}: `extensions.disabled` names an extension that is not there: `acme-metrix`; hint: did you mean \
                 `acme-metrics`?"
            ),
        ]
    );
    assert_eq!(of(&configuration, "acme-metrics", &known), ["ok=1"]);
}
