//! The two forms of the output of `diff`.

use serde_json::{Map, Value, json};

use super::{Change, Changes, Difference};

impl Difference {
    /// The text form: `-` stands before what only the first jar has, `+` before what only the second one has, `~` before
    /// what changed. Nothing when nothing differs.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (section, Changes { added, removed, changed }) in &self.sections {
            let counts = format!("{} removed, {} added, {} changed", removed.len(), added.len(), changed.len());
            lines.push(format!("{section}: {counts}"));
            lines.extend(removed.iter().map(|name| format!("  - {name}")));
            lines.extend(added.iter().map(|name| format!("  + {name}")));
            lines.extend(changed.iter().map(|(name, before, now)| format!("  ~ {name}, {before} bytes, now {now}")));
        }
        if !self.attributes.is_empty() {
            lines.push(format!("attributes: {} differ", self.attributes.len()));
            lines.extend(self.attributes.iter().map(attribute_line));
        }
        for (id, (added, removed)) in &self.permissions {
            lines.push(format!("permissions of {id}: {} removed, {} added", removed.len(), added.len()));
            lines.extend(removed.iter().map(|name| format!("  - {name}")));
            lines.extend(added.iter().map(|name| format!("  + {name}")));
        }
        for (what, changes) in [("policy", &self.policy), ("config", &self.config)] {
            if !changes.is_empty() {
                lines.push(format!("{what}: {} differ", changes.len()));
                lines.extend(changes.iter().map(attribute_line));
            }
        }
        lines
    }

    /// The JSON form.
    pub(super) fn to_json(&self) -> Map<String, Value> {
        let sections: Map<String, Value> =
            self.sections.iter().map(|(name, changes)| (name.clone(), changes.to_json())).collect();
        let changes = |changes: &[Change]| -> Value {
            let one = |(name, first, second): &Change| json!({ "name": name, "first": first, "second": second });
            changes.iter().map(one).collect()
        };
        let permissions: Map<String, Value> = self
            .permissions
            .iter()
            .map(|(id, (added, removed))| (id.clone(), json!({ "added": added, "removed": removed })))
            .collect();
        let mut fields = Map::new();
        fields.insert("first".into(), self.first.display().to_string().into());
        fields.insert("second".into(), self.second.display().to_string().into());
        fields.insert("differs".into(), self.differs().into());
        fields.insert("identical".into(), self.identical.into());
        fields.insert("sections".into(), Value::Object(sections));
        fields.insert("attributes".into(), changes(&self.attributes));
        fields.insert("permissions".into(), Value::Object(permissions));
        fields.insert("policy".into(), changes(&self.policy));
        fields.insert("config".into(), changes(&self.config));
        fields
    }
}

impl Changes {
    fn to_json(&self) -> Value {
        let changed: Vec<Value> = self
            .changed
            .iter()
            .map(|(name, first, second)| json!({ "name": name, "first-bytes": first, "second-bytes": second }))
            .collect();
        json!({ "added": self.added, "removed": self.removed, "changed": changed })
    }
}

fn attribute_line((name, first, second): &Change) -> String {
    match (first, second) {
        (Some(first), Some(second)) => format!("  ~ {name}: `{first}`, now `{second}`"),
        (Some(first), None) => format!("  - {name}: `{first}`"),
        (None, second) => format!("  + {name}: `{}`", second.as_deref().unwrap_or_default()),
    }
}
