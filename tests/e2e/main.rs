//! End-to-end tests against real JVMs.

mod harness;
mod product;

mod builds;
mod cases_container;
mod demo;
mod extension_bundles;
mod harness_tests;
mod identity;
mod jfr;
mod layouts;
mod loaders;
mod masked_agents;
mod masked_loader;
mod native_payload;
mod off;
mod relocation;
mod shim;
mod smoke;
mod stall_watchdog;
mod start_modes;
