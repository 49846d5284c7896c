//! The same worlds on this processor and in WebAssembly.
//!
//! Goal: a scene ends with the same hash on both. Method: node runs the module that `THALWEG_WASM`
//! names, which `cargo build --profile wasm -p wasm --lib --target wasm32-unknown-unknown` makes.

use std::process::Command;

#[test]
fn hashes_are_those_of_webassembly() {
    let line =
        |scene| format!("scene {scene}: {:016x}\n", wasm::hash_of(scene).expect("scenes are good"));
    let own: String = (0..wasm::SCENES).map(line).collect();
    print!("{own}");
    let Some(module) = std::env::var_os("THALWEG_WASM") else {
        println!("skipped: no module in THALWEG_WASM");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/run.mjs");
    let output = Command::new("node").arg(script).arg(&module).output().expect("node is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), own);
}
