//! gen-world

fn main() {}
