//! What the matcher tells the weaver, in the weaver's own terms.

pub use classfile::weave::{Call, MethodInfo, Plan, Planner, Site, SiteKind, SiteKinds, SitePlan, Source};
