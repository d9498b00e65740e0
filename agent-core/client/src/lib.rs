//! Attaches to running JVMs.
