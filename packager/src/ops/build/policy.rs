//! Which extensions the policy of the output denies, and what would grant them.

use manifests::policy::{Policy, Reason};
use serde_json::{Value, json};

use super::known::Known;

/// An extension that the policy denies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Denied {
    id: String,
    /// `the policy` or `the default policy`.
    by: &'static str,
    reasons: Vec<Reason>,
    hints: Vec<String>,
}

/// The extensions that a policy denies; `named` tells whether it is written anywhere, `sealed` whether the base forbids to widen it.
pub(super) fn denied(policy: &Policy, named: bool, sealed: bool, known: &[Known]) -> Vec<Denied> {
    let mut denied = Vec::new();
    for Known { id, metadata, .. } in known {
        let declared = metadata.as_ref().and_then(|metadata| metadata.permissions.as_deref());
        let reasons = policy.decide_declared(id, Ok(declared)).reasons().to_vec();
        if reasons.is_empty() {
            continue;
        }
        let hints = if sealed && reasons.iter().any(|reason| reason.key().is_some()) {
            vec!["the policy of the base is sealed: only a base with another one can grant it".to_owned()]
        } else {
            reasons.iter().map(|reason| remedy(id, reason, policy)).collect()
        };
        let by = if named { "the policy" } else { "the default policy" };
        denied.push(Denied { id: id.clone(), by, reasons, hints });
    }
    denied
}

/// What to write into `agent.toml` against one reason.
fn remedy(id: &str, reason: &Reason, policy: &Policy) -> String {
    match reason {
        Reason::Extension => format!("take `{id}` out of `denyExtensions` under `[policy]`"),
        Reason::Undeclared | Reason::Unreadable(_) => {
            "build the extension again, with its permissions declared".to_owned()
        }
        Reason::Denied(permissions) => {
            let names: Vec<String> = permissions.iter().map(|permission| format!("`{permission}`")).collect();
            format!("take {} out of `deny` under `[policy]`", names.join(", "))
        }
        Reason::Privileged(permissions) => {
            let all = policy.grant.iter().chain(permissions).collect::<std::collections::BTreeSet<_>>();
            let grant: Vec<String> = all.into_iter().map(|permission| format!("\"{permission}\"")).collect();
            let ids = policy.allow_extensions.iter().map(String::as_str).chain([id]);
            let allow: Vec<String> = ids.map(|id| format!("\"{id}\"")).collect();
            format!(
                "set `grant = [{}]` or `allowExtensions = [{}]` under `[policy]`",
                grant.join(", "),
                allow.join(", ")
            )
        }
    }
}

impl Denied {
    /// One line for people.
    pub(super) fn line(&self) -> String {
        let reasons: Vec<String> = self.reasons.iter().map(Reason::to_string).collect();
        let Self { id, by, hints, .. } = self;
        format!("{by} denies extension `{id}`: {}; hint: {}", reasons.join("; "), hints.join(", and "))
    }

    /// An object for programs.
    pub(super) fn to_json(&self) -> Value {
        let reasons = self.reasons.iter().map(|reason| {
            let names: Vec<&str> = reason.permissions().iter().map(|permission| permission.name()).collect();
            json!({
                "reason": reason.word(),
                "permissions": names,
                "key": reason.key().map(|key| format!("policy.{key}")),
                "message": reason.to_string(),
            })
        });
        json!({ "id": self.id, "reasons": reasons.collect::<Vec<_>>(), "hints": self.hints })
    }
}

#[cfg(test)]
mod tests {
    use manifests::extension::ExtensionMetadata;
    use manifests::permission::parse_list;
    use manifests::properties::Properties;

    use super::*;

    fn lines(policy: &str, named: bool, sealed: bool, permissions: Option<&str>) -> Vec<String> {
        let policy = Policy::from_properties(&Properties::parse(policy.as_bytes()).unwrap()).unwrap();
        let mut metadata = ExtensionMetadata::new("x").unwrap();
        metadata.permissions = permissions.map(|text| parse_list(text).unwrap());
        let known = [Known { id: "x".into(), metadata: Some(metadata) }];
        denied(&policy, named, sealed, &known).iter().map(Denied::line).collect()
    }

    #[test]
    fn each_line_says_what_to_write() {
        for (policy, named, permissions, line) in [
            (
                "",
                false,
                Some("NETWORK,THREADS,FILE_READ"),
                "the default policy denies extension `x`: nothing grants the privileged `NETWORK`, `THREADS`; hint: set `grant = \
                 [\"NETWORK\", \"THREADS\"]` or `allowExtensions = [\"x\"]` under `[policy]`",
            ),
            (
                "grant=EXEC\nallowExtensions=a",
                true,
                Some("NETWORK,EXEC"),
                "the policy denies extension `x`: nothing grants the privileged `NETWORK`; hint: set `grant = [\"NETWORK\", \
                 \"EXEC\"]` or `allowExtensions = [\"a\", \"x\"]` under `[policy]`",
            ),
            (
                "grantAll=true\ndeny=NETWORK\ndenyExtensions=x",
                true,
                Some("NETWORK"),
                "the policy denies extension `x`: `denyExtensions` names it; `deny` names `NETWORK`; hint: take `x` out of \
                 `denyExtensions` under `[policy]`, and take `NETWORK` out of `deny` under `[policy]`",
            ),
            (
                "",
                false,
                None,
                "the default policy denies extension `x`: it declares no permissions; hint: build the extension again, with its \
                 permissions declared",
            ),
        ] {
            assert_eq!(lines(policy, named, false, permissions), [line]);
        }
        assert_eq!(lines("grant=NETWORK", true, false, Some("NETWORK")), [""; 0]);
        let line = lines("sealed=true", true, true, Some("NETWORK")).concat();
        assert!(
            line.ends_with("hint: the policy of the base is sealed: only a base with another one can grant it"),
            "{line}"
        );
    }
}
