//! Prints the hashes of the scenes.

fn main() -> Result<(), thalweg::Error> {
    for scene in 0..wasm::SCENES {
        println!("scene {scene}: {:016x}", wasm::hash_of(scene)?);
    }
    Ok(())
}
