// Water that carries nothing: in place of the text of contents before that of forcing.

fn note_moved(mover: u32, moved: i32, held: i32) {}
fn note_shares(held: i32) {}
fn force_contents(record: u32, here: At, most: i32, thread: u32) {}
