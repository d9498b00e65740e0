//! What is to be said about the arguments of a start.

use crate::log;
use manifests::arguments::{AgentArguments, help};
use manifests::suggest;

/// Arguments of a part that is not there, with the part.
const ABSENT: &[(&str, &str)] = &[
    ("bindAddress", "there is no command server yet"),
    ("cmdQueueLimit", "there is no command server yet"),
    ("noServer", "there is no command server yet, so that it is always off"),
    ("port", "there is no command server yet"),
    ("probeDescPath", "there are no descriptions of probe points yet"),
    ("statsd", "there is no output to statsd yet"),
    ("tokenFile", "there is no command server yet"),
];

/// Says which arguments are unknown and no parameter of a probe either.
pub(crate) fn report_unknown(arguments: &AgentArguments, is_parameter: impl Fn(&str) -> bool) {
    for (key, nearest) in arguments.unknown().filter(|(key, _)| !is_parameter(key)) {
        let hint = nearest.map(|n| format!("; hint: did you mean `{n}`?")).unwrap_or_default();
        log::line(&format!("unknown agent argument `{key}` is ignored{hint}"));
    }
}

/// What is no argument of the agent is a parameter of its probes: names and values.
pub(crate) fn parameters(arguments: &AgentArguments) -> Vec<(String, String)> {
    let named = |key: &str| (key.to_owned(), arguments.get(key).unwrap_or("true").to_owned());
    arguments.unknown().map(|(key, _)| named(key)).collect()
}

/// Says what is not there yet, and explains all arguments if asked to.
pub(crate) fn report(arguments: &AgentArguments, supported: &[&str]) {
    for (key, _) in arguments.iter() {
        if key.starts_with('$') || supported.contains(&key) || arguments.unknown().any(|(unknown, _)| unknown == key) {
            continue;
        }
        if let Some((_, part)) = ABSENT.iter().find(|(absent, _)| *absent == key) {
            log::line(&format!("the agent argument `{key}` does nothing: {part}"));
        } else {
            log::line(&format!("agent argument `{key}` is not supported by this version and is ignored"));
        }
    }
    if arguments.get("trusted").is_some() && !arguments.flag("trusted") {
        log::line(
            "the agent argument `trusted=false` keeps no probe out: this version verifies none, so that all are trusted",
        );
    }
    if arguments.flag("help") {
        explain();
    }
}

/// Writes all arguments with their meanings.
fn explain() {
    log::asked("agent arguments, as name=value or name, separated by commas; a value in double quotes may hold some:");
    for (key, meaning) in help::MEANINGS {
        log::asked(&format!("  {key:<22} {meaning}"));
    }
    log::asked("  $NAME                  sets the system property NAME");
    log::asked("any other name is a parameter of the probes");
}

/// Arguments of the jar that belong to a group, `group#name`, in their parts.
fn grouped(own: &AgentArguments) -> impl Iterator<Item = (&str, &str, Option<&str>)> {
    own.iter().filter_map(|(key, value)| key.split_once('#').map(|(group, key)| (group, key, value)))
}

/// The jar's own arguments, those of the group that `config` names over those of no group.
pub(crate) fn of_group(own: &AgentArguments, config: Option<&str>) -> AgentArguments {
    let alone = own.iter().filter(|(key, _)| !key.contains('#'));
    let of_group = grouped(own).filter(|(group, ..)| config == Some(*group)).map(|(_, key, value)| (key, value));
    let mut merged = AgentArguments::default();
    for (key, value) in alone.chain(of_group) {
        // Names come from arguments that could be set; one of a group may be empty.
        let _ = merged.set(key, value);
    }
    merged
}

/// Says so where the jar has no arguments of a group that is asked for.
pub(crate) fn check_group(own: &AgentArguments, config: &str) {
    if grouped(own).all(|(group, ..)| group != config) {
        let nearest = suggest::nearest(config, grouped(own).map(|(group, ..)| group));
        let hint = nearest.map(|n| format!("; hint: did you mean `{n}`?")).unwrap_or_default();
        log::line(&format!(
            "the agent argument `config={config}` does nothing: the jar has no arguments of that group{hint}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manifests::arguments::KNOWN;

    #[test]
    fn what_is_absent_is_known() {
        assert!(ABSENT.iter().all(|(key, _)| KNOWN.contains(key)));
        assert!(ABSENT.is_sorted());
    }

    #[test]
    fn a_group_lies_over_what_belongs_to_none() {
        let own =
            AgentArguments::parse("probes=A,debug,prod#probes=B,test#debug=false,prod#stdout").expect("arguments");
        assert_eq!(of_group(&own, None).to_string(), "probes=A,debug");
        assert_eq!(of_group(&own, Some("prod")).to_string(), "probes=B,debug,stdout");
        assert_eq!(of_group(&own, Some("test")).to_string(), "probes=A,debug=false");
        assert_eq!(of_group(&own, Some("none")).to_string(), "probes=A,debug");
    }
}
