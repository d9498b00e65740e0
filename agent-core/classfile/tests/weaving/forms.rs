//! The three forms in which each class is woven.

use crate::planners::{all_of, everything};
use crate::tally::Counts;
use classfile::ClassFile;
use classfile::weave::{Call, Linkage, MethodInfo, Plan, Planner, Site, SiteKind, SiteKinds, SitePlan, Source, weave};

/// The first class-file version with `invokedynamic`.
const DYNAMIC_SINCE: u16 = 51;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Entry, return and error with all arguments, and the duration.
    Ends,
    /// Each call, before it with all operands, after it with the result and the duration too.
    Calls,
    /// Both, and every other kind of site.
    All,
}

impl Form {
    pub(crate) const ALL: [Self; 3] = [Self::Ends, Self::Calls, Self::All];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ends => "entry+return+duration+error",
            Self::Calls => "call",
            Self::All => "all kinds",
        }
    }

    /// The class woven, by one linkage or both; nothing if it has nothing to weave.
    pub(crate) fn weave(self, class: &[u8], counts: &mut Counts) -> Vec<Vec<u8>> {
        let mut woven = Vec::new();
        let direct = needs_direct_calls(class);
        let mut number = |_: &str, _: &str| 70_000;
        // Nothing is linked, so neither class has to exist.
        let linkage = if direct {
            Linkage::Direct { class: "java/lang/Linker", method: "call", site: &mut number }
        } else {
            Linkage::Dynamic { class: "java/lang/Linker", method: "link" }
        };
        let mut planner = Everything { form: self, sites: 0 };
        let result = weave(class, linkage, &mut planner);
        let methods = methods_with_code(class);
        counts.methods += methods;
        counts.sites += planner.sites;
        match result {
            Ok(result) => {
                counts.woven += result.methods.len();
                for (method, skip) in &result.skipped {
                    counts.skip(class, method, &skip.to_string());
                }
                for site in &result.skipped_sites {
                    counts.skip_site(&site.reason.to_string());
                }
                woven.extend(result.bytes);
            }
            Err(error) => {
                counts.refuse(class, methods, &error.to_string());
            }
        }
        woven
    }
}

fn methods_with_code(class: &[u8]) -> usize {
    let Ok(class) = ClassFile::parse(class) else { return 0 };
    class.methods().filter(|method| method.attribute("Code").is_some()).count()
}

/// Where the agent does not use `invokedynamic`: below version 51, and in the JDK's own classes.
fn needs_direct_calls(class: &[u8]) -> bool {
    let Ok(class) = ClassFile::parse(class) else { return false };
    let of_the_jdk = [&b"java/"[..], b"jdk/", b"sun/"].iter().any(|package| class.this_name().starts_with(package));
    class.major() < DYNAMIC_SINCE || of_the_jdk
}

struct Everything {
    form: Form,
    sites: usize,
}

impl Planner for Everything {
    fn method(&mut self, method: &MethodInfo<'_>, plan: &mut Plan) {
        if method.member.attribute("Code").is_none() {
            return;
        }
        if self.form != Form::Calls {
            *plan = everything(method);
        }
        plan.sites = match self.form {
            Form::Ends => SiteKinds::default(),
            Form::Calls => [SiteKind::Call].into_iter().collect(),
            Form::All => SiteKind::ALL.into_iter().collect(),
        };
        // The names of the agent's sites tell a number and where the call stands.
        for (name, calls) in [("entry", &mut plan.entry), ("return", &mut plan.returns), ("error", &mut plan.errors)] {
            for call in calls {
                call.name = name.into();
            }
        }
    }

    fn site(&mut self, _: &MethodInfo<'_>, site: &Site<'_>) -> SitePlan {
        self.sites += 1;
        let (before, mut after) = all_of(site);
        if site.kind == SiteKind::Call {
            after.push(Source::Duration);
        }
        let call = |name: &str, parameters| vec![Call { name: name.into(), parameters }];
        let after = if site.kind.has_after() { call("after", after) } else { Vec::new() };
        SitePlan { before: call("before", before), after }
    }
}
