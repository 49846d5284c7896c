//! flood-preview

fn main() {}
