//! Viewer of worlds: shows their water while it runs, and lets a person play with it.
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
//! The world has its own thread; the window receives [`session::ViewerState`]s, and draws the
//! picture between the last two.
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
