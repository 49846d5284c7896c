//! The world file: crashes, damage, failing disks, files.

mod compact;
mod crafted;
mod crash;
mod damage;
mod faults;
mod files;
mod follow;
mod forged;
mod history;
mod loopback;
mod mirror_crash;
mod mirrored;
mod names;
mod readers;
mod script;
mod serving;
mod space;

/// Cases are fewer and shorter, unless tests are built with `THALWEG_FULL` set.
const QUICK: bool = option_env!("THALWEG_FULL").is_none();
