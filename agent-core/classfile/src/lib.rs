//! Reads, relocates and weaves Java class files.
