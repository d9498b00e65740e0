//! `fatagent extension publish`, `fatagent publish` and `fatagent sdk install` into folders and to a real HTTP server, read back by `fatagent build`.
//! What Maven and `gpg` make of it is tested end to end, since not every computer has them.

mod folder;
mod http;
mod refusals;
#[path = "../support/run.rs"]
mod run;
mod sdk;
mod server;
#[path = "../support/mod.rs"]
mod support;
mod work;
