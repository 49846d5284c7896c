//! The world file: crashes, damage, failing disks, files.

mod crafted;
mod crash;
mod damage;
mod faults;
mod files;
mod readers;
mod script;
mod space;
