//! The agent core: weaves, links and talks inside the target JVM.
