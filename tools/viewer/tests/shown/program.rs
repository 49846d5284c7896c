//! The viewer as a program.

use std::path::Path;
use std::process::{Command, Output};

use testkit::Display;

/// The viewer with these words, in the folder of the workspace; its settings in `home`.
pub fn viewer(display: Option<&Display>, home: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_viewer"));
    command
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .args(words)
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .env_remove("DISPLAY")
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .env("XDG_RUNTIME_DIR", home);
    if let Some(display) = display {
        command.env("DISPLAY", display.name());
    }
    command
}

/// Words of a viewer that refused: one line, with exit code 2.
#[track_caller]
pub fn error(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let lines: Vec<&str> = said.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 1, "{said}");
    assert!(lines[0].starts_with("viewer: "), "{said}");
    said
}
