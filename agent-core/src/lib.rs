//! The agent core: the native library that weaves, links extensions and answers clients inside the target JVM.
//!
//! It is started in one of four ways, all of which end in [`start`]:
//! - the Java shim loads it (`-javaagent`, attach of the jar) and calls `NativeCore.start`;
//! - the JVM loads it (`-agentpath:…=jar=…`) and calls `Agent_OnLoad`; without a probe, no Java code of ours runs then;
//! - the JVM loads it when it is attached by path and calls `Agent_OnAttach`;
//! - `java -jar agent.jar` loads it and calls `NativeCore.client`.
//!
//! Invariants: no panic crosses into the VM; every result of the VM is checked; nothing is written to stdout unless
//! `stdout=true` asks for it; a class that cannot be woven stays as it was.

mod agentpath;
mod arguments;
mod audit;
mod client_mode;
mod deprecation;
mod extensions;
mod files;
mod guard;
mod identity;
mod jar;
mod libraries;
mod linking;
mod log;
mod natives;
mod output;
mod probes;
mod start;
mod state;
mod weaving;
