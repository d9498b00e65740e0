//! End-to-end tests against real JVMs.

mod harness;
mod product;
mod traced;

mod arguments;
mod builds;
mod cases_container;
mod coexistence;
mod configurators;
mod configured;
mod demo;
mod dispatch;
mod extensions;
mod harness_tests;
mod identity;
mod installed;
mod jfr;
mod layouts;
mod linking;
mod loaders;
mod location_kinds;
mod log;
mod masked_agents;
mod masked_loader;
mod matching;
mod native_payload;
mod native_start;
mod off;
mod publishing;
mod relocation;
mod shim;
mod situations;
mod smoke;
mod stall_watchdog;
mod start_modes;
