//! Errors of rock and of the air in it.

use std::fmt;
use std::fmt::Write as _;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::terrain::HeightmapError;
use thalweg_engine::units::plain::Plain;

/// Reason for which rock, or the air in it, is refused: of voxels, solids, tunnels and decks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RockError {
    /// An invalid grid of voxels.
    Grid {
        /// Columns, rows and layers.
        size: [u32; 3],
        /// Height of the floor, m.
        floor_m: f64,
        /// Height of a voxel, m.
        voxel_m: f64,
    },
    /// A block of voxels that is empty or not within its frame.
    Block {
        /// Column, row and layer of its first voxel.
        low: [u32; 3],
        /// Columns, rows and layers of the block.
        size: [u32; 3],
        /// Columns, rows and layers of the frame.
        frame: [u32; 3],
    },
    /// An array that does not have one number for each voxel.
    Count {
        /// Numbers of the array.
        found: usize,
        /// Columns, rows and layers.
        size: [u32; 3],
    },
    /// A run of air that is empty, reaches beyond the grid, or is not above the one before.
    Run {
        /// Cell of the column.
        place: CellPlace,
        /// The first layer of the run, and the first above it.
        run: [u32; 2],
        /// The first layer at which it may begin.
        from: u32,
        /// Layers of the grid.
        layers: u32,
    },
    /// A terrain of a grid that does not begin in the corner of the map.
    Corner {
        /// The south-west cell of the grid.
        low: CellPlace,
    },
    /// A line of fewer than two points.
    Points {
        /// Number of points.
        count: usize,
    },
    /// An invalid point.
    Place {
        /// Index of the point.
        index: usize,
        /// East, north and height, m.
        point_m: [f64; 3],
    },
    /// An invalid length.
    Length {
        /// Name of the length.
        of: &'static str,
        /// The length, m.
        length_m: f64,
    },
    /// A cell outside the map.
    Outside {
        /// Column and row.
        cell: [i64; 2],
    },
    /// More cells than one map has.
    Many {
        /// Number of cells that would result.
        cells: f64,
        /// Maximum number of cells.
        most: f64,
    },
    /// Heights that make no valid terrain.
    Terrain(HeightmapError),
}

impl fmt::Display for RockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Plain(f);
        match self {
            Self::Grid { size: [x, y, z], floor_m, voxel_m } => write!(
                f,
                "a grid of {x} x {y} x {z} voxels, {voxel_m} m high from {floor_m} m, cannot be: \
                 give sizes above 0 that end below 2³² cells, a finite floor, and a height of \
                 voxels above 0"
            ),
            Self::Block { low, size, frame } => write!(
                f,
                "a block of {} x {} x {} voxels from {}, {}, {} is not within {} x {} x {}: \
                 make it smaller, or the frame larger",
                size[0], size[1], size[2], low[0], low[1], low[2], frame[0], frame[1], frame[2]
            ),
            Self::Count { found, size: [x, y, z] } => write!(
                f,
                "an array of {found} numbers came for {x} x {y} x {z} voxels: give one for each, \
                 x fastest, then y, then z"
            ),
            Self::Run { place, run: [from, to], from: least, layers } => write!(
                f,
                "a run of air of cell {}, {} goes from layer {from} to below {to}: let each begin \
                 below its end, the next with rock between, here from layer {least} on, and end \
                 all at {layers} at most",
                place.x, place.y
            ),
            Self::Corner { low: CellPlace { x, y } } => write!(
                f,
                "the grid begins at cell {x}, {y} and makes no terrain by itself: begin it at \
                 cell 0, 0, or take its ground for part of a larger terrain"
            ),
            Self::Points { count } => {
                write!(f, "a line of {count} points leads nowhere: give at least two")
            }
            Self::Place { index, point_m: [east, north, height] } => write!(
                f,
                "point {index}, {east} m east, {north} m north, {height} m high, is no place near \
                 a map: give finite metres from its south-west corner"
            ),
            Self::Length { of, length_m } => {
                write!(f, "the {of} is {length_m} m, which cannot be: give a finite length above 0")
            }
            Self::Outside { cell: [x, y] } => write!(
                f,
                "cell {x}, {y} lies outside the map, and something is to be built or carved \
                 there: end it at the edge, or take a larger map"
            ),
            Self::Many { cells, most } => write!(
                f,
                "{cells:.3e} cells would be built or carved at once, more than {most:.3e}: give \
                 metres, and the width of a cell in metres"
            ),
            Self::Terrain(reason) => write!(f, "{reason}"),
        }
    }
}

impl std::error::Error for RockError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Terrain(reason) => Some(reason),
            _ => None,
        }
    }
}
