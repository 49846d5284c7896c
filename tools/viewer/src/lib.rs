//! Worlds to look at while their water runs, and to play with.
//!
//! ```text
//! args ── opening ── session (a thread: the world, its surface, its bodies)
//!                      ▲ │
//!             commands │ │ states
//!                      │ ▼
//!            app (the window) ─┬─ picture   terrain and water, drawn from a state's patches
//!                              ├─ hud       what is written and drawn over it
//!                              └─ script    a person who is not there
//! ```
//!
//! The world lives on its own thread; the window gets [`session::State`]s, and draws the picture
//! between the last two.
//!
//! Guarantees: bad input, no display, a world in use or broken end with one line and exit code 2.

pub mod app;
pub mod args;
pub mod hud;
pub mod memory;
pub mod opening;
pub mod picture;
pub mod run;
pub mod script;
pub mod session;
