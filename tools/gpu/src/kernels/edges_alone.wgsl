// Water that carries nothing: in place of the text of contents before that of edges.

fn fill_over(face: u32, here: At, units: i32, is_end: bool) {}
fn drain_over(face: u32, here: At, units: i32, depth: i32) {}
