//! Text formats of fat agents as types, without I/O.
