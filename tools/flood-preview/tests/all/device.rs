//! Devices that step the water: the same files from each, and what `--check` says of it.
//!
//! Method: the driver of this machine, in software where there is no card; where there is no driver
//!         those tests say so and pass, or fail if the variable `THALWEG_VULKAN` demands one.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use testkit::{Program, grid, names};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// A culvert, which no card steps.
const CULVERT: &str = "[map]\nfile = \"dem.asc\"\n[[culvert]]\nname = \"pipe\"\n\
                       from = [1030, 2061]\nto = [1048, 2061]\ndiameter = \"50cm\"\n";

/// A folder with a small map that falls eastwards, and one of more than 250,000 cells.
fn folder() -> TempDir {
    let bed = |col: usize, row: usize| 20.0 - 0.1 * col as f64 + 0.2 * ((col + row) % 3) as f64;
    testkit::folder(&[
        ("dem.asc", grid((40, 30), 5.0, bed)),
        ("large.asc", grid((512, 500), 5.0, bed)),
        ("s.toml", CULVERT.to_owned()),
    ])
}

fn has_driver() -> bool {
    testkit::graphics(gpu::Device::open()).is_some()
}

/// Line of the device in what `--check` says.
fn device(folder: &Path, line: &str) -> String {
    let text = FLOOD.done(folder, &format!("{line} --check"));
    let own = text.lines().find_map(|line| line.strip_prefix("  device "));
    own.unwrap_or_else(|| panic!("{line}: {text}")).trim().to_owned()
}

/// Standard error of a line that succeeds, without a desktop and with a driver that is none.
fn stderr_without(folder: &Path, driver: &Path, line: &str) -> String {
    let mut command = FLOOD.command(folder, line);
    command.env_remove("XDG_RUNTIME_DIR");
    let output = command.env("VK_ICD_FILENAMES", driver).env("VK_DRIVER_FILES", driver).output();
    let output = output.expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{line}: {said}");
    said
}

#[test]
fn check_names_the_device_and_what_it_leaves() {
    let folder = folder();
    let at = folder.path();
    assert_eq!(device(at, "dem.asc --device cpu"), "the processor");
    let small = "the processor: a card takes part once 250000 cells are awake";
    assert_eq!(device(at, "dem.asc"), small);
    assert_eq!(device(at, "dem.asc --device auto"), small);
    if !has_driver() {
        return;
    }
    let words = device(at, "dem.asc --device gpu");
    let ending = "which passes its self-test and can step this world";
    assert!(words.starts_with("the graphics card ") && words.ends_with(ending), "{words}");
    let words = device(at, "s.toml --device gpu");
    let ending = "which passes its self-test and cannot step links yet: the processor steps each \
                  cycle that has them";
    assert!(words.starts_with("the graphics card ") && words.ends_with(ending), "{words}");
}

/// Goal: all files of a run are the same on each device, to the bit.
#[test]
fn all_files_are_the_same_on_any_device() {
    if !has_driver() {
        return;
    }
    let folder = folder();
    let run = |device: &str| {
        let line = format!("dem.asc --for 2min --gauge a=1100,2050 --device {device} --quiet");
        FLOOD.done(folder.path(), &line);
        let out = folder.path().join("flood-preview-out");
        let files = names(&out).into_iter().map(|name| {
            let bytes = fs::read(out.join(&name)).expect("a result");
            // The time on the wall is that of each run.
            let own = match String::from_utf8(bytes) {
                Ok(text) => {
                    let lines = text.lines().filter(|line| !line.contains("wall_s") && !made(line));
                    lines.collect::<Vec<_>>().join("\n").into_bytes()
                }
                Err(no_text) => no_text.into_bytes(),
            };
            (name, own)
        });
        files.collect::<Vec<_>>()
    };
    let [cpu, auto, gpu] = ["cpu", "auto", "gpu"].map(run);
    assert!(cpu.len() > 5);
    for (name, other) in [("auto", auto), ("gpu", gpu)] {
        for (own, other) in cpu.iter().zip(&other) {
            assert!(own == other, "{name}: {}", own.0);
        }
        assert_eq!(cpu.len(), other.len());
    }
}

fn made(line: &str) -> bool {
    line.contains("Made by thalweg flood-preview")
}

/// Goal: without a driver, or with a broken one, nobody sees anything who asked for no card, and
/// who did sees one line. Method: a list of drivers that is no file, no JSON, and one of a library
/// that is none; a world large enough for a card.
#[test]
fn a_broken_driver_is_no_noise() {
    let folder = folder();
    let at = folder.path();
    let library = at.join("broken.so");
    let driver = format!(
        "{{\"file_format_version\": \"1.0.0\", \"ICD\": {{\"library_path\": {library:?}, \
         \"api_version\": \"1.1.0\"}}}}"
    );
    testkit::put(at, &[("broken.so", "no library"), ("text.json", "{"), ("lib.json", &driver)]);
    for name in ["missing.json", "text.json", "lib.json"] {
        let driver = at.join(name);
        let said = stderr_without(at, &driver, "dem.asc --for 5s --quiet --device gpu");
        let is_line = said.lines().count() == 1
            && said.starts_with("flood-preview: no graphics card was found (")
            && said.ends_with("; the processor steps this world\n");
        assert!(is_line, "{name}: {said}");
        let said = stderr_without(at, &driver, "large.asc --quality fine --check");
        assert_eq!(said, "", "{name}");
    }
}

/// Goal: a driver in software is no card where nobody asked for it, and the lack of a desktop is no
/// noise.
#[test]
fn a_driver_in_software_is_passed_over() {
    let folder = folder();
    let mut command = FLOOD.command(folder.path(), "large.asc --quality fine --check");
    let output = command.env_remove("XDG_RUNTIME_DIR").output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("device") && !told.contains("llvmpipe"), "{told}");
}
