//! Cost of a frame of the viewer on the world of the stream bench, while its water runs.
//!
//! One process writes the world of 16 × 16 km and ends; another opens a window of 1280 × 720 on it
//! and flies down the river at 50 m/s, from above and aslant, with the water in real time. The
//! measured value is the processor time of the window's thread for its own work: steering, taking
//! in states, uploading changes, composing the display, recording the commands for the card. The
//! work of a software driver on its own threads belongs to the renderer; the time of the surface on
//! the world's thread is printed beside it.

use crate::beside::program;
use crate::stream::walk::{BUDGET_MIB, SPEED, open, thalweg_m};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use testkit::Display;

/// A flight of the viewer over the streamed world.
pub const BENCH: Bench = Bench {
    ids: &["view.frame_ms", "view.fps", "view.real_time"],
    what: "the viewer at 1280 × 720 over a streamed world of 16 × 16 km in real time: processor \
           time of the window's own work for a frame, frames a second, simulated over real time",
    is_long: true,
    measure,
};

/// Length of the flight, s, and of the time before it, in which leaves adapt to the camera.
const FLIGHT_S: f64 = 40.0;
const SIZE: &str = "1280x720";
/// Number of times per second at which the viewer gets the place of the camera.
const STANDS_PER_S: u32 = 20;

/// Returns the places and times of the camera, as the viewer's `--tour` reads them: in the second
/// half it looks aslant.
fn tour() -> String {
    let mut text = String::new();
    for at_s in (0_u32..).map(|stand| f64::from(stand) / f64::from(STANDS_PER_S)) {
        let x_m = 2000.0 + SPEED * at_s;
        let slope = if at_s < 0.5 * FLIGHT_S { 90 } else { 45 };
        let _ = writeln!(text, "{at_s} {x_m} {} 1200 {slope} 0 1", thalweg_m(x_m));
        if at_s >= FLIGHT_S {
            break;
        }
    }
    text
}

/// Saves the world of a file with a river in it.
///
/// # Errors
///
/// Errors of the world.
pub fn fill(path: &Path) -> Result<(), BenchError> {
    let (mut file, world) = open(path)?;
    file.save(&world)?;
    Ok(())
}

fn measure(context: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("wide.thalweg");
    let (bench, viewer) = (std::env::current_exe()?, program("viewer")?);
    let is_shown = |name| std::env::var_os(name).is_some();
    let display = match ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(is_shown) {
        true => None,
        false => Some(Display::open().ok_or(BenchError::Skipped("no display, no Xvfb".into()))?),
    };
    let child = |program: &Path, words: &[&str]| -> Result<String, BenchError> {
        let mut command = Command::new(program);
        command.args(words).arg(&path);
        if let Some(display) = &display {
            command.env("DISPLAY", display.name()).env("XDG_RUNTIME_DIR", folder.path());
        }
        let output = command.output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    child(&bench, &["--stream-make"])?;
    child(&bench, &["--stream-fill"])?;
    let stands = folder.path().join("tour.txt");
    std::fs::write(&stands, tour())?;
    let (stands, budget) = (stands.to_string_lossy(), BUDGET_MIB.to_string());
    let words = ["--stream", "--budget", &budget, "--speed", "1", "--size", SIZE];
    let text = child(&viewer, &[&words[..], &["--tour", &stands]].concat())?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [frames, seconds, own, most, states, surface, simulation, reached] = numbers[..] else {
        return Err(format!("the child printed {text:?}").into());
    };
    let note = format!(
        "16384 × 16384 cells of 1 m, streamed; window 1280 × 720, a flight of {FLIGHT_S} s at \
         {SPEED} m/s, half from above, half aslant; {frames} frames, the dearest {most:.1} ms; \
         {states} states, each {simulation:.1} ms of simulation and {surface:.2} ms of surface on \
         the world's thread; {} threads, triad {:.1} GB/s",
        rayon::current_num_threads(),
        context.triad_bytes_per_s() / 1.0e9
    );
    Ok(vec![
        Measurement::new("view.frame_ms", own, "ms").target("<= 16").note(note),
        Measurement::new("view.fps", frames / seconds, "1/s"),
        Measurement::new("view.real_time", reached, "x").target(">= 1"),
    ])
}
