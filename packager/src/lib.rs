//! Builds fat Java agents: one jar from an agent, its extensions and its probes.
