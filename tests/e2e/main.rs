//! End-to-end tests against real JVMs.
