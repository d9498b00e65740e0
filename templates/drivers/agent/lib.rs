//! The agent is described by `agent.toml`; Cargo has nothing to compile here.
