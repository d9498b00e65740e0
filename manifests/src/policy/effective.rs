//! What counts where several policies and arguments speak.

use super::{Decision, KEYS, Policy, Reason, Takes, Widening, takes};
use crate::Error;
use crate::arguments::AgentArguments;
use crate::extension::ExtensionMetadata;
use crate::permission::Permission;

/// The policy that counts at run time, made of the embedded one, the one of a file and agent arguments, in this order.
///
/// Each is laid over the one before: a file replaces the whole embedded policy, an argument adds to a list and replaces a
/// flag. But a sealed policy stays: it and what is laid over it must both grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// Policies of which each must grant; never empty.
    layers: Vec<Policy>,
    /// What a sealed policy was asked to grant beyond what it grants.
    refused: Vec<Widening>,
}

impl Effective {
    /// Combines the embedded policy, that of the first file found, and the arguments `grant`, `deny`, `grantAll`,
    /// `allowExtensions`, `denyExtensions` and `allowPrivileged`, whose lists are separated by `;` or `,`.
    ///
    /// Fails where an argument has a value that its key does not take.
    pub fn of(
        embedded: Option<Policy>,
        file: Option<Policy>,
        arguments: Option<&AgentArguments>,
    ) -> Result<Self, Error> {
        let (mut layers, mut refused) = (Vec::new(), Vec::new());
        let mut current = embedded.unwrap_or_default();
        let mut lay = |current: &mut Policy, next: Policy| {
            if current.sealed {
                let wider = current.widening(&next);
                // Whoever replaces a sealed policy does not unseal it: it stays.
                refused.extend(wider.into_iter().filter(|widening| *widening != Widening::Unsealed));
                layers.push(std::mem::replace(current, next));
            } else {
                *current = next;
            }
        };
        if let Some(file) = file {
            lay(&mut current, file);
        }
        if let Some(arguments) = arguments {
            let next = current.with_arguments(arguments)?;
            if next != current {
                lay(&mut current, next);
            }
        }
        layers.push(current);
        Ok(Self { layers, refused })
    }

    /// Decides about an extension: it is granted where every policy grants it.
    pub fn decide(&self, extension: &ExtensionMetadata) -> Decision {
        self.decide_declared(&extension.id, Ok(extension.permissions.as_deref()))
    }

    /// As [`Policy::decide_declared`], by every policy.
    pub fn decide_declared(&self, id: &str, declared: Result<Option<&[Permission]>, &Error>) -> Decision {
        let mut reasons: Vec<Reason> = Vec::new();
        for layer in &self.layers {
            for reason in layer.decide_declared(id, declared).reasons() {
                if !reasons.contains(reason) {
                    reasons.push(reason.clone());
                }
            }
        }
        if reasons.is_empty() { Decision::Granted } else { Decision::Denied { reasons } }
    }

    /// As [`Policy::because`]: the rule of the first policy that denies, else that of the one that was laid on last.
    pub fn because(&self, id: &str, permission: Permission) -> (bool, &'static str) {
        let mut rules = self.layers.iter().map(|layer| layer.because(id, permission));
        let last = self.layers.last().map_or((false, ""), |layer| layer.because(id, permission));
        rules.find(|(grants, _)| !grants).unwrap_or(last)
    }

    /// What a file or an argument would have granted beyond a sealed policy, and does not.
    pub fn refused(&self) -> &[Widening] {
        &self.refused
    }
}

impl Policy {
    /// This policy with what the arguments say: lists grow, flags are replaced.
    fn with_arguments(&self, arguments: &AgentArguments) -> Result<Self, Error> {
        let mut given = Self::default();
        let mut policy = self.clone();
        for key in KEYS.iter().filter(|key| **key != "sealed") {
            let Some(value) = arguments.get(key) else { continue };
            given.set(key, &value.replace(';', ","))?;
            if takes(key) == Some(Takes::Flag) {
                policy.set(key, value)?;
            }
        }
        policy.grant.extend(given.grant);
        policy.deny.extend(given.deny);
        policy.allow_extensions.extend(given.allow_extensions);
        policy.deny_extensions.extend(given.deny_extensions);
        Ok(policy)
    }
}
