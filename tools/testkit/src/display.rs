//! A display for one test or measurement.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// An X server that draws into memory, until this is dropped.
#[derive(Debug)]
pub struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// Starts a server on a free number. Returns `None`, with a printed line, if Xvfb is missing.
    ///
    /// # Panics
    ///
    /// If the server ends at once, or if Xvfb is missing and the variable `THALWEG_XVFB` is set.
    #[must_use]
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

    /// Returns the name of the display, for the variable `DISPLAY`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
