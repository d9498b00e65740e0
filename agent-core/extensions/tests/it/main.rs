//! Discovery and decisions on real folders, jars and zips.

mod bundles;
mod cache;
mod places;
mod policy;
mod signatures;
mod world;
