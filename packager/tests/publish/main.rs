//! `fatagent extension publish` and `fatagent publish` into folders and to a real HTTP server, read back by `fatagent build`.
//! What Maven and `gpg` make of it is tested end to end, since not every computer has them.

mod folder;
mod http;
mod refusals;
#[path = "../support/run.rs"]
mod run;
mod server;
#[path = "../support/mod.rs"]
mod support;
mod work;
