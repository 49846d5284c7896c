//! x
fn main() { println!("{:?}", ggez::conf::Backend::Vulkan); }
