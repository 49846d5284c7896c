//! `[[tunnel]]`, `[[bridge]]`, `[[mesh]]` and `[[voxels]]` as they are written: structures that are
//! built on the ground or carved into it.
//!
//! Guarantees: an unknown key, a wrong type or an invalid text is an error at its line.
//! Limits:     [`super::plan`] checks the keys together.

use std::path::PathBuf;

use serde::Deserialize;

use crate::barrier::Crest;
use crate::quantity::Metres;

/// `[[tunnel]]`: a section carved along a line.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct TunnelTable {
    pub name: Option<String>,
    pub path: Vec<[f64; 2]>,
    pub floor: Crest,
    pub diameter: Option<Metres>,
    #[serde(rename = "box")]
    pub sides: Option<[Metres; 2]>,
    pub arch: Option<[Metres; 2]>,
}

/// `[[bridge]]`: a deck along a line, with parapets an aqueduct.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct BridgeTable {
    pub name: Option<String>,
    pub path: Vec<[f64; 2]>,
    pub deck: Crest,
    pub width: Metres,
    pub thickness: Option<Metres>,
    pub parapet: Option<Metres>,
}

/// `[[mesh]]`: the inside of a closed mesh.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct MeshTable {
    pub name: Option<String>,
    pub file: PathBuf,
    pub at: [f64; 2],
    pub base: Metres,
    pub inside: Option<MeshInside>,
    pub turn: Option<f64>,
    pub scale: Option<f64>,
    pub up: Option<UpAxis>,
}

/// Treatment of the inside of a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeshInside {
    /// Rock is built.
    #[default]
    Rock,
    /// Rock is taken away.
    Air,
}

/// The axis of a file that points up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// The second; the third points south.
    Y,
    /// The third; the second points north.
    Z,
}

/// `[[voxels]]`: solid voxels, one on each cell.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct VoxelsTable {
    pub name: Option<String>,
    pub file: PathBuf,
    pub at: [f64; 2],
    pub floor: Metres,
    pub layer: Option<Metres>,
    pub empty: Option<Empty>,
}

/// Treatment of the places where models have no voxel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Empty {
    /// All stays as it was.
    #[default]
    Ground,
    /// The ground is taken away.
    Air,
}
