//! `viewer`: see the library of the same name.

fn main() {}
