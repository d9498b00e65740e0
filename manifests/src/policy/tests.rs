use proptest::prelude::*;

use super::*;
use crate::arguments::AgentArguments;

fn properties(text: &str) -> Properties {
    Properties::parse(text.replace("; ", "\n").as_bytes()).unwrap()
}

/// A policy from its keys, separated by `; `.
fn policy(text: &str) -> Policy {
    Policy::from_properties(&properties(text)).unwrap()
}

/// An extension `x` that declares these permissions; nothing where there is no text.
fn extension(permissions: Option<&str>) -> ExtensionMetadata {
    let mut metadata = ExtensionMetadata::new("x").unwrap();
    metadata.permissions = permissions.map(|text| crate::permission::parse_list(text).unwrap());
    metadata
}

fn shown(decision: &Decision) -> String {
    match decision {
        Decision::Granted => "granted".to_owned(),
        Decision::Denied { reasons } => reasons.iter().map(Reason::to_string).collect::<Vec<_>>().join("; "),
    }
}

const NOT_GRANTED: &str = "nothing grants the privileged `NETWORK`";

#[test]
fn every_rule_and_every_precedence() {
    let network = Some("NETWORK");
    let denied = "`deny` names `NETWORK`";
    let off = "`denyExtensions` names it";
    for (text, permissions, expected) in [
        // By default: what is not privileged.
        ("", Some(""), "granted"),
        ("", Some("MESSAGING,AGGREGATION,JFR_EVENTS,PROFILING"), "granted"),
        ("", Some("FILE_READ,SYSTEM_PROPS,THREAD_INFO,MEMORY_INFO"), "granted"),
        ("", network, NOT_GRANTED),
        ("", None, "it declares no permissions"),
        // What grants a privileged permission.
        ("grant=NETWORK", network, "granted"),
        ("grant=network", network, "granted"),
        ("grant=EXEC", network, NOT_GRANTED),
        ("grant=EXEC", Some("NETWORK,EXEC"), NOT_GRANTED),
        ("grant=EXEC,NETWORK", Some("NETWORK,EXEC,FILE_READ"), "granted"),
        ("allowExtensions=x", network, "granted"),
        ("allowExtensions=x", Some("NETWORK,EXEC,NATIVE"), "granted"),
        ("allowExtensions=X", network, NOT_GRANTED),
        ("allowExtensions=y", network, NOT_GRANTED),
        ("allowPrivileged=true", network, "granted"),
        ("allowPrivileged=false", network, NOT_GRANTED),
        ("grantAll=true", network, "granted"),
        ("grantAll=false", network, NOT_GRANTED),
        // `deny` beats each of them, for any class of permission.
        ("deny=NETWORK", network, denied),
        ("deny=NETWORK; grant=NETWORK", network, denied),
        ("deny=NETWORK; allowExtensions=x", network, denied),
        ("deny=NETWORK; allowPrivileged=true", network, denied),
        ("deny=NETWORK; grantAll=true", network, denied),
        ("deny=EXEC; grantAll=true", network, "granted"),
        ("deny=MESSAGING,FILE_READ", Some("MESSAGING,FILE_READ"), "`deny` names `MESSAGING`, `FILE_READ`"),
        ("deny=NETWORK", Some(""), "granted"),
        // `denyExtensions` beats each of them, even for an extension that needs nothing.
        ("denyExtensions=x", Some(""), off),
        ("denyExtensions=x; allowExtensions=x", Some(""), off),
        ("denyExtensions=x; grantAll=true", network, off),
        ("denyExtensions=x; grant=NETWORK; allowPrivileged=true", network, off),
        ("denyExtensions=y", Some(""), "granted"),
        // Without permission data nothing helps.
        ("grantAll=true", None, "it declares no permissions"),
        ("allowExtensions=x; allowPrivileged=true", None, "it declares no permissions"),
        // All reasons are told, the strongest first.
        (
            "denyExtensions=x; deny=EXEC",
            Some("NETWORK,THREADS,EXEC"),
            "`denyExtensions` names it; `deny` names `EXEC`; nothing grants the privileged `NETWORK`, `THREADS`",
        ),
        ("denyExtensions=x", None, "`denyExtensions` names it; it declares no permissions"),
    ] {
        assert_eq!(shown(&policy(text).decide(&extension(permissions))), expected, "`{text}` for {permissions:?}");
    }
}

#[test]
fn every_privileged_permission_needs_a_grant_and_no_other_does() {
    for &permission in Permission::ALL {
        let declared = extension(Some(permission.name()));
        let privileged = permission.class() == Class::Privileged;
        assert_eq!(Policy::default().decide(&declared).is_granted(), !privileged, "{permission}");
        assert!(policy(&format!("grant={permission}")).decide(&declared).is_granted());
        assert!(!policy(&format!("grantAll=true; deny={permission}")).decide(&declared).is_granted());
    }
}

#[test]
fn what_cannot_be_read_is_denied() {
    let error = crate::permission::parse_list("NETWROK").unwrap_err();
    let decision = policy("grantAll=true; allowExtensions=x").decide_declared("x", Err(&error));
    assert_eq!(shown(&decision), "its permissions cannot be read: unknown permission: `NETWROK`");
    assert_eq!(decision.reasons()[0].word(), "permissions-unreadable");
}

#[test]
fn reasons_name_the_key_that_decides() {
    let reasons = policy("denyExtensions=x; deny=EXEC").decide(&extension(Some("EXEC,NETWORK")));
    let told: Vec<_> = reasons.reasons().iter().map(|r| (r.key(), r.word(), r.permissions())).collect();
    assert_eq!(
        told,
        [
            (Some("denyExtensions"), "extension-denied", &[][..]),
            (Some("deny"), "permission-denied", &[Permission::Exec][..]),
            (Some("grant"), "permission-not-granted", &[Permission::Network][..]),
        ]
    );
    assert_eq!(Policy::default().decide(&extension(None)).reasons()[0].key(), None);
    assert_eq!(Decision::Granted.reasons(), []);
}

#[test]
fn bad_policies_are_refused() {
    for (text, message, hint) in [
        ("grant=NETWROK", "unknown permission: `NETWROK`", "did you mean `NETWORK`?"),
        ("deny=NETWORK,EXECUTE", "unknown permission: `EXECUTE`", "did you mean `EXEC`?"),
        (
            "allowPrivileged=yes",
            "`allowPrivileged` must be `true` or `false`: `yes`",
            "write `allowPrivileged` as `true` or `false`",
        ),
        ("sealed=", "`sealed` must be `true` or `false`: ``", "write `sealed` as `true` or `false`"),
        ("denyExtension=x", "not a key of a policy: `denyExtension`", "did you mean `denyExtensions`?"),
        (
            "zzz=x",
            "not a key of a policy: `zzz`",
            "keys are `allowExtensions`, `allowPrivileged`, `deny`, `denyExtensions`, `grant`, `grantAll`, `sealed`",
        ),
    ] {
        let error = Policy::from_properties(&properties(text)).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.hint().as_deref()), (message, Some(hint)), "{text}");
    }
    let error = Policy::from_properties(&properties("allowExtensions=a b")).unwrap_err();
    assert_eq!(error.to_string(), "not an extension id: `a b`");
}

#[test]
fn keys_and_what_they_take_agree() {
    assert!(KEYS.is_sorted());
    assert!(KEYS.iter().all(|key| takes(key).is_some()));
    assert_eq!(takes("other"), None);
    assert!(KEYS.iter().filter(|key| **key != "sealed").all(|key| crate::arguments::KNOWN.contains(key)));
}

#[test]
fn what_is_written_is_sorted_and_read_again() {
    let text = "allowExtensions=a,b\nallowPrivileged=true\ndeny=EXEC\ndenyExtensions=c\ngrant=NETWORK,THREADS\n\
                grantAll=true\nsealed=true\n";
    let read = policy(text);
    assert_eq!(read.to_properties().to_bytes(), text.as_bytes());
    assert_eq!(Policy::from_properties(&read.to_properties()), Ok(read));
    assert!(policy("allowPrivileged=false; grant=").to_properties().is_empty());
}

/// What the embedded policy, that of a file and arguments decide about `x` with NETWORK and EXEC, and what is refused.
fn effective(embedded: Option<&str>, file: Option<&str>, arguments: Option<&str>) -> (String, Vec<String>) {
    let arguments = arguments.map(|text| AgentArguments::parse(text).unwrap());
    let effective = Effective::of(embedded.map(policy), file.map(policy), arguments.as_ref()).unwrap();
    let decision = effective.decide(&extension(Some("NETWORK,EXEC")));
    (shown(&decision), effective.refused().iter().map(Widening::to_string).collect())
}

#[test]
fn files_and_arguments_over_the_embedded_policy() {
    let both = "nothing grants the privileged `NETWORK`, `EXEC`";
    let exec = "nothing grants the privileged `EXEC`";
    for (embedded, file, arguments, expected, refused) in [
        (None, None, None, both, &[][..]),
        (Some("grant=NETWORK,EXEC"), None, None, "granted", &[]),
        // Unsealed: a file replaces the whole policy.
        (Some("grantAll=true"), Some(""), None, both, &[]),
        (Some("deny=EXEC"), Some("grantAll=true"), None, "granted", &[]),
        (Some("grant=EXEC"), Some("grant=NETWORK"), None, exec, &[]),
        // Unsealed: arguments add and replace.
        (Some("grant=EXEC"), None, Some("grant=NETWORK"), "granted", &[]),
        (None, Some("grant=EXEC"), Some("grant=NETWORK"), "granted", &[]),
        (None, None, Some("grant=NETWORK;EXEC"), "granted", &[]),
        (None, None, Some("grant=\"NETWORK,EXEC\""), "granted", &[]),
        (None, None, Some("allowPrivileged"), "granted", &[]),
        (None, None, Some("grantAll=true,deny=EXEC"), "`deny` names `EXEC`", &[]),
        (Some("allowPrivileged=true"), None, Some("allowPrivileged=false"), both, &[]),
        (Some("deny=EXEC"), None, Some("grant=EXEC;NETWORK"), "`deny` names `EXEC`", &[]),
        (None, None, Some("allowExtensions=x"), "granted", &[]),
        (Some("allowExtensions=x"), None, Some("denyExtensions=x"), "`denyExtensions` names it", &[]),
        (None, None, Some("port=1"), both, &[]),
        // Sealed: both must grant.
        (Some("sealed=true; grantAll=true"), None, None, "granted", &[]),
        (Some("sealed=true; grantAll=true"), Some(""), None, both, &[]),
        (Some("sealed=true; grant=NETWORK,EXEC"), Some("grant=NETWORK"), None, exec, &[]),
        (Some("sealed=true; grant=NETWORK"), Some("grant=NETWORK,EXEC"), None, exec, &["`EXEC` of every extension"]),
        (
            Some("sealed=true; grant=NETWORK"),
            Some("grant=EXEC"),
            None,
            "nothing grants the privileged `EXEC`; nothing grants the privileged `NETWORK`",
            &["`EXEC` of every extension"],
        ),
        (
            Some("sealed=true; deny=EXEC; grantAll=true"),
            Some("grantAll=true"),
            None,
            "`deny` names `EXEC`",
            &["`EXEC` of every extension"],
        ),
        (
            Some("sealed=true; denyExtensions=x; grantAll=true"),
            Some("grantAll=true"),
            None,
            "`denyExtensions` names it",
            &["extension `x`, which `denyExtensions` named"],
        ),
        // Sealed: arguments only narrow.
        (Some("sealed=true; grant=NETWORK"), None, Some("grant=EXEC"), exec, &["`EXEC` of every extension"]),
        (
            Some("sealed=true"),
            None,
            Some("allowExtensions=x"),
            both,
            &[
                "`FILE_WRITE`, `NETWORK`, `THREADS`, `NATIVE`, `EXEC`, `REFLECTION`, `CLASSLOADER`, `UNLIMITED_MEMORY` of extension `x`",
            ],
        ),
        (Some("sealed=true; grantAll=true"), None, Some("deny=EXEC"), "`deny` names `EXEC`", &[]),
        (Some("sealed=true; grantAll=true"), None, Some("grantAll=false"), both, &[]),
        (
            Some("sealed=true; grantAll=true"),
            Some("grantAll=true"),
            Some("denyExtensions=x"),
            "`denyExtensions` names it",
            &[],
        ),
        // A sealed file binds the arguments too.
        (None, Some("sealed=true; grant=NETWORK"), Some("grant=EXEC"), exec, &["`EXEC` of every extension"]),
    ] {
        let got = effective(embedded, file, arguments);
        assert_eq!(
            (got.0.as_str(), got.1),
            (expected, refused.iter().map(|text| (*text).to_owned()).collect()),
            "{embedded:?}, {file:?}, {arguments:?}"
        );
    }
}

#[test]
fn bad_arguments_are_refused() {
    for (text, message) in [
        ("deny=NETWROK", "unknown permission: `NETWROK`"),
        ("deny", "unknown permission: `true`"),
        ("grantAll=perhaps", "`grantAll` must be `true` or `false`: `perhaps`"),
        ("allowExtensions=\"a b\"", "not an extension id: `a b`"),
    ] {
        let arguments = AgentArguments::parse(text).unwrap();
        assert_eq!(Effective::of(None, None, Some(&arguments)).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn a_widening_names_what_and_whose() {
    for (old, new, expected) in [
        ("", "", &[][..]),
        ("grantAll=true", "", &[]),
        ("grantAll=true", "allowPrivileged=true", &[]),
        ("allowPrivileged=true", "grant=NETWORK; allowExtensions=x", &[]),
        ("", "sealed=true", &[]),
        ("grant=NETWORK", "grant=NETWORK; denyExtensions=x; deny=EXEC", &[]),
        ("", "grant=MESSAGING,FILE_READ", &[]),
        ("", "allowExtensions=x; denyExtensions=x", &[]),
        ("", "grant=NETWORK,EXEC", &["`NETWORK`, `EXEC` of every extension"]),
        ("deny=FILE_READ", "", &["`FILE_READ` of every extension"]),
        ("deny=NETWORK", "", &[]),
        ("denyExtensions=x", "", &["extension `x`, which `denyExtensions` named"]),
        (
            "grant=NETWORK,THREADS,FILE_WRITE,NATIVE,EXEC,REFLECTION,CLASSLOADER",
            "allowExtensions=x",
            &["`UNLIMITED_MEMORY` of extension `x`"],
        ),
        (
            "sealed=true; allowExtensions=y",
            "grant=EXEC; allowExtensions=y",
            &["whatever a file or an argument grants, since it is not `sealed`", "`EXEC` of every extension"],
        ),
        ("allowExtensions=x; deny=EXEC", "allowExtensions=x", &["`EXEC` of extension `x`"]),
    ] {
        let told: Vec<String> = policy(old).widening(&policy(new)).iter().map(Widening::to_string).collect();
        assert_eq!(told, expected, "from `{old}` to `{new}`");
    }
}

fn any_policy() -> impl Strategy<Value = Policy> {
    // Few permissions and ids, so that the lists of two policies meet.
    let permissions = || {
        let some = [Permission::Messaging, Permission::FileRead, Permission::Network, Permission::Exec];
        proptest::collection::btree_set(proptest::sample::select(some.to_vec()), 0..4)
    };
    let ids = || proptest::collection::btree_set(proptest::sample::select(vec!["x".to_owned(), "y".to_owned()]), 0..3);
    (any::<(bool, bool, bool)>(), permissions(), permissions(), ids(), ids()).prop_map(
        |((sealed, grant_all, allow_privileged), grant, deny, allow_extensions, deny_extensions)| Policy {
            sealed,
            grant_all,
            allow_privileged,
            grant,
            deny,
            allow_extensions,
            deny_extensions,
        },
    )
}

proptest! {
    #[test]
    fn any_policy_is_read_back(policy in any_policy()) {
        prop_assert_eq!(Policy::from_properties(&policy.to_properties()), Ok(policy));
    }

    /// No widening means just that: whatever the newer policy grants, the older one grants too.
    #[test]
    fn a_widening_is_told_exactly_where_there_is_one(older in any_policy(), newer in any_policy()) {
        let mut wider = older.sealed && !newer.sealed;
        for id in ["x", "y", "z"] {
            let declared = Permission::ALL.iter().map(std::slice::from_ref).chain([&[][..]]);
            for permissions in declared {
                let granted = |policy: &Policy| policy.decide_declared(id, Ok(Some(permissions))).is_granted();
                wider |= granted(&newer) && !granted(&older);
            }
        }
        prop_assert_eq!(!older.widening(&newer).is_empty(), wider);
    }

    /// Over a sealed policy nothing grants more than it does.
    #[test]
    fn a_sealed_policy_can_only_be_narrowed(embedded in any_policy(), file in any_policy(), grant in any::<bool>()) {
        let embedded = Policy { sealed: true, ..embedded };
        let arguments = AgentArguments::parse(if grant { "grantAll" } else { "deny=EXEC" }).unwrap();
        let effective = Effective::of(Some(embedded.clone()), Some(file), Some(&arguments)).unwrap();
        for id in ["x", "y", "z"] {
            for permission in Permission::ALL {
                let declared = || Ok(Some(std::slice::from_ref(permission)));
                if effective.decide_declared(id, declared()).is_granted() {
                    prop_assert!(embedded.decide_declared(id, declared()).is_granted());
                }
            }
        }
    }
}

#[test]
fn the_rule_that_decides_about_a_permission_agrees_with_the_decision() {
    for text in [
        "",
        "grant=NETWORK",
        "deny=NETWORK\ngrant=NETWORK",
        "allowExtensions=a",
        "allowPrivileged=true",
        "grantAll=true\ndeny=FILE_READ",
        "denyExtensions=a\ngrantAll=true",
    ] {
        let policy = Policy::from_properties(&Properties::parse(text.as_bytes()).unwrap()).unwrap();
        for &permission in Permission::ALL {
            let decision = policy.decide_declared("a", Ok(Some(&[permission])));
            assert_eq!(policy.because("a", permission).0, decision.is_granted(), "{text}: {permission}");
        }
    }
    let sealed = Policy { sealed: true, ..Policy::default() };
    let wide = Policy { grant_all: true, ..Policy::default() };
    let effective = Effective::of(Some(sealed), Some(wide), None).unwrap();
    assert_eq!(effective.because("a", Permission::Exec), (false, "nothing grants it"));
}
