//! The world file: crashes, damage, failing disks, files.

mod crafted;
mod crash;
mod damage;
mod faults;
mod files;
mod script;
mod space;
