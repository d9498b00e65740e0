//! Probe model, matching and preprocessing.
