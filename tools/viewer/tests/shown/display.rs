//! A display for one test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// An X server that draws into memory, until this is dropped.
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// Starts a server on a number that is free; `None`, with a line that says so, where there is
    /// no Xvfb.
    pub fn open() -> Option<Self> {
        let started = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut server = match started {
            Ok(server) => server,
            Err(error) => {
                assert!(std::env::var_os("THALWEG_XVFB").is_none(), "Xvfb does not start: {error}");
                println!("skipped: no Xvfb");
                return None;
            }
        };
        let mut number = String::new();
        let printed = server.stdout.take().expect("piped");
        BufReader::new(printed).read_line(&mut number).expect("Xvfb prints its number");
        let number = number.trim();
        assert!(!number.is_empty(), "Xvfb ended before it printed its number");
        Some(Self { server, name: format!(":{number}") })
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

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
        command.env("DISPLAY", &display.name);
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
