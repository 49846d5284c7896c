//! The world file: crashes, damage, failing disks, files.

mod compact;
mod crafted;
mod crash;
mod damage;
mod faults;
mod files;
mod history;
mod readers;
mod script;
mod space;
