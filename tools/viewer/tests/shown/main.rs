//! The window itself, on a display of its own that nobody sees: on Linux, where there are such.
//!
//! Where there is no Xvfb these tests say so and pass; with `THALWEG_XVFB=1`, as in CI, they fail.
//! `THALWEG_KEEP_FRAMES=1` stores the frames of today in place of those that are compared with.

#![cfg(target_os = "linux")]

#[path = "../caves/mod.rs"]
mod caves;
mod cut;
mod device;
mod frames;
mod program;
mod refused;
