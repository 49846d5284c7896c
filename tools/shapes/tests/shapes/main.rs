//! Files of shapes, written by the tests themselves.

mod kit;
mod meshes;
