//! Water on a graphics card, bit for bit that of the processor.
//!
//! ```text
//! Device::open ── self_test::choose ── Routes ── arithmetic::source(routes, body) ── a module
//!   the card      what is exact on it              text of the kernels in WGSL
//! ```
//!
//! A card computes sums and products of floats as IEEE 754 requires, but its compiler may contract
//! or reorder them, and its division and root may be off by some units of the last place.
//! [`arithmetic`] writes each operation so that neither can happen; [`self_test`] compares with the
//! functions of thalweg when a [`Device`] is opened, and chooses the cheapest way that has the same
//! bits.
//!
//! ```no_run
//! let device = gpu::Device::open()?;
//! let routes = gpu::self_test::choose(&device)?;
//! println!("{}: {routes}", device.name());
//! # Ok::<(), gpu::Failure>(())
//! ```
//!
//! Guarantees: a card whose bits differ from the processor's is refused with the operation, the
//!             operands and both results; nothing here panics when a card is lost.
//! Limits:     the self-test samples: it finds an error that affects one word in some ten thousand,
//!             and a compiler may treat a longer kernel differently. Vulkan, Metal and Direct3D 12;
//!             seen on lavapipe and an NVIDIA H200.
//! Source:     own.

/// Text of functions of a face or a cell, which `build.rs` wrote from the sources of the processor.
macro_rules! law {
    ($group:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $group, ".wgsl"))
    };
}

mod acts;
mod apart;
pub mod arithmetic;
mod auto;
mod beyond;
mod card;
mod device;
mod edges;
mod failure;
mod interfaces;
mod kernels;
mod levels;
mod log;
mod place;
mod plan;
mod planes;
mod roll;
pub mod self_test;
mod slots;
mod tracers;
mod work;

pub use auto::AutoCard;
pub use beyond::beyond;
pub use card::GpuCard;
pub use device::Device;
pub use failure::{Failure, Mismatch};
pub use log::{CardEvents, CardLog};
