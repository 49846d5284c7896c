//! Water on large heightfields.
