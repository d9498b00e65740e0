//! JNI and JVMTI bindings with safe wrappers.
