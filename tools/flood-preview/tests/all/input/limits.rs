//! Runs that are stopped while they read, and runs that do not fit.

use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use testkit::{grid, holds, interrupt, listing};

use super::kit::{FLOOD, folder};

/// Goal: Ctrl-C ends the reading of a large map at once; before, it was read to its end.
#[test]
#[cfg(unix)]
fn ctrl_c_ends_the_reading_of_a_map() {
    let large = grid((2000, 2000), 5.0, |col, _| col as f64);
    let folder = folder(&[("large.asc", large.as_bytes())]);
    let before = listing(folder.path());
    let child = FLOOD.spawn(folder.path(), "large.asc --quality draft");
    sleep(Duration::from_millis(150));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("stopped; nothing was written"), "{stderr}");
    assert_eq!(listing(folder.path()), before);
}

/// Goal: a map that does not fit into memory is refused, where it was aborted before.
#[test]
#[cfg(target_os = "linux")]
fn a_run_that_does_not_fit_is_refused() {
    let large = grid((1500, 1500), 5.0, |col, _| col as f64);
    let folder = folder(&[("large.asc", large.as_bytes())]);
    let before = listing(folder.path());
    for check in ["", "--check"] {
        let program = env!("CARGO_BIN_EXE_flood-preview");
        let line = format!("ulimit -v 200000; {program} large.asc --quality fine {check}");
        let output = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output();
        let output = output.expect("a shell");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        for words in ["this run needs about", "are free", "--quality draft", "--area"] {
            assert!(stderr.contains(words), "{check}: no `{words}` in: {stderr}");
        }
        assert_eq!(listing(folder.path()), before);
    }
}

#[test]
fn check_says_what_a_run_takes() {
    let folder = folder(&[]);
    let text = FLOOD.said(folder.path(), "dem.asc --for 10min --check");
    holds(&text, &["memory", " MB", "time ", "on this machine", "for the water", "for results"]);
}
