//! The target `relocator`, see ../../tests/targets.

#![no_main]

#[path = "../../tests/planners/mod.rs"]
mod planners;
#[path = "../../tests/targets/mod.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::relocator(bytes));
