//! The two forms of the output of `inspect`.

use manifests::manifest::attribute;
use manifests::permission::Permission;
use manifests::policy::Reason;
use serde_json::{Map, Value, json};

use super::{Amount, ExtensionView, View};
use crate::defaults::{is_limit, limits};

impl View {
    /// The text form.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![line(
            "jar",
            &format!("{}, {} bytes, {} entries, sha256 {}", self.path.display(), self.size, self.entries, self.sha256),
        )];
        let title = self.attribute(attribute::IMPLEMENTATION_TITLE).unwrap_or("(unnamed)");
        let version = self.attribute(attribute::IMPLEMENTATION_VERSION).unwrap_or("(no version)");
        let build_id = self.attribute(attribute::BTRACE_BUILD_ID).unwrap_or("(none)");
        lines.push(line("agent", &format!("{title} {version}, build id {build_id}")));
        let masked = match (self.masked, self.sections.is_empty()) {
            (true, _) => "yes",
            (false, false) => "for a loader of its own, in sections",
            (false, true) => "no",
        };
        lines.push(line("masked", masked));
        lines.push(line("bootstrap", &classes(self.bootstrap)));
        lines.extend(self.bootstrap_classes.iter().map(|class| line("", class)));
        lines.extend(
            self.sections.iter().map(|(name, amount)| line("section", &format!("{name}, {}", classes(*amount)))),
        );
        let policy = if self.has_policy { "the policy" } else { "the default policy" };
        self.extensions.iter().for_each(|extension| extension.lines(policy, &mut lines));
        lines.extend(self.probes.iter().map(|probe| line("probe", probe)));
        for core in &self.natives {
            let floor = match &core.libc_floor {
                Some(floor) => format!("needs glibc {floor} or newer"),
                None => "needs no versioned glibc symbol".to_owned(),
            };
            lines.push(line("core", &format!("{}, {}, {} bytes, {floor}", core.target, core.architecture, core.size)));
            lines.extend(core.exports.iter().map(|name| line("", &format!("exports {name}"))));
        }
        let (limits, arguments): (Vec<_>, Vec<_>) = self.arguments.iter().partition(|(key, _)| is_limit(key));
        for (what, pairs) in [
            ("argument", arguments),
            ("limit", limits),
            ("config", self.config.iter().collect()),
            ("policy", self.policy_entries.iter().collect()),
        ] {
            lines.extend(pairs.into_iter().map(|(key, value)| line(what, &format!("{key}={value}"))));
        }
        lines.extend(self.attributes.iter().map(|(name, value)| line("attribute", &format!("{name}: {value}"))));
        lines
    }

    /// The JSON form.
    pub(super) fn to_json(&self) -> Map<String, Value> {
        let pairs = |pairs: &[(String, String)]| {
            pairs.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str()))).collect::<Map<_, _>>()
        };
        let sections =
            self.sections.iter().map(|(name, amount)| (name.clone(), amount.to_json())).collect::<Map<_, _>>();
        let mut fields = Map::new();
        fields.insert("path".into(), self.path.display().to_string().into());
        fields.insert("size".into(), json!(self.size));
        fields.insert("entries".into(), json!(self.entries));
        fields.insert("sha256".into(), self.sha256.to_string().into());
        fields.insert("masked".into(), self.masked.into());
        fields.insert("attributes".into(), Value::Object(pairs(&self.attributes)));
        fields.insert("bootstrap".into(), self.bootstrap.to_json());
        fields.insert("bootstrap-classes".into(), json!(self.bootstrap_classes));
        fields.insert("sections".into(), Value::Object(sections));
        fields.insert("extensions".into(), self.extensions.iter().map(ExtensionView::to_json).collect());
        fields.insert("probes".into(), json!(self.probes));
        fields.insert("arguments".into(), Value::Object(pairs(&self.arguments)));
        let limits: Vec<(String, String)> = limits(&self.arguments).cloned().collect();
        fields.insert("limits".into(), Value::Object(pairs(&limits)));
        fields.insert("config".into(), Value::Object(pairs(&self.config)));
        let policy = self.has_policy.then(|| Value::Object(pairs(&self.policy_entries)));
        fields.insert("policy".into(), policy.unwrap_or(Value::Null));
        fields.insert("natives".into(), self.natives.iter().map(super::NativeCore::to_json).collect());
        fields
    }
}

impl Amount {
    fn to_json(self) -> Value {
        json!({ "count": self.count, "bytes": self.bytes })
    }
}

impl ExtensionView {
    fn lines(&self, policy: &str, lines: &mut Vec<String>) {
        let amounts = format!("{}, {} other files", classes(self.classes), self.resources.count);
        let Some(metadata) = &self.metadata else {
            lines.push(line("extension", &format!("{}, {amounts}, without description", self.id)));
            return;
        };
        lines.push(line("extension", &format!("{} {}, {amounts}", self.id, metadata.version)));
        lines.extend(metadata.services.iter().map(|service| line("", &format!("service {service}"))));
        let permissions = match metadata.permissions.as_deref() {
            None => "permissions not declared".to_owned(),
            Some([]) => "no permissions".to_owned(),
            Some(some) => format!("permissions {}", names(some).join(", ")),
        };
        lines.push(line("", &permissions));
        let reasons: Vec<String> = self.decision.reasons().iter().map(Reason::to_string).collect();
        lines.push(match &reasons[..] {
            [] => line("", &format!("granted by {policy}")),
            _ => line("", &format!("denied by {policy}: {}", reasons.join("; "))),
        });
    }

    fn to_json(&self) -> Value {
        let metadata = self.metadata.as_ref();
        json!({
            "id": self.id,
            "version": metadata.map(|m| m.version.as_str()),
            "services": metadata.map(|m| m.services.as_slice()).unwrap_or_default(),
            "permissions": metadata.and_then(|m| m.permissions.as_deref()).map(names),
            "requires": metadata.map(|m| m.requires.as_slice()).unwrap_or_default(),
            "exports": metadata.map(|m| m.exports.as_slice()).unwrap_or_default(),
            "granted": self.decision.is_granted(),
            "denied-because": self.decision.reasons().iter().map(Reason::to_string).collect::<Vec<_>>(),
            "classes": self.classes.to_json(),
            "other-files": self.resources.to_json(),
        })
    }
}

fn names(permissions: &[Permission]) -> Vec<&'static str> {
    permissions.iter().map(|permission| permission.name()).collect()
}

fn classes(amount: Amount) -> String {
    let Amount { count, bytes } = amount;
    format!("{count} class{}, {bytes} bytes", if count == 1 { "" } else { "es" })
}

fn line(what: &str, text: &str) -> String {
    format!("{what:<10} {text}")
}
