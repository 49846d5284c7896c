//! Rock and air of a scenario: from the map's coordinates to the engine's metres.
//!
//! | file | content |
//! | --- | --- |
//! | `line` | tunnels and bridges |
//! | `mesh`, `voxels` | shapes of files |
//!
//! Guarantees: names are unique, places are on the map, files are read completely.
//! Limits:     whether a structure reaches over NoData is checked later, with the ground.

mod asked;
mod line;
mod mesh;
mod voxels;

use std::collections::HashSet;

use kit::error::UserError;
use thalweg::world::Earthworks;

use self::asked::{RockRequest, refused};
use self::line::RockLine;
use self::mesh::RockMesh;
use self::voxels::Voxels;
use super::forcing::name_of;
use super::map::MapPlan;
use crate::file::Scenario;
use crate::place::MapPoint;

/// A structure that is built or carved.
#[derive(Debug, Clone, PartialEq)]
pub struct RockPlan {
    /// Name of the structure.
    pub name: String,
    /// Corners of the line, or the place, in the map's coordinates.
    pub path: Vec<MapPoint>,
    shape: RockShape,
}

#[derive(Debug, Clone, PartialEq)]
enum RockShape {
    Voxels(Voxels),
    Mesh(RockMesh),
    Tunnel(RockLine),
    Bridge(RockLine),
}

impl RockPlan {
    /// Returns the section of the file: `voxels`, `mesh`, `tunnel` or `bridge`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.shape {
            RockShape::Voxels(_) => "voxels",
            RockShape::Mesh(_) => "mesh",
            RockShape::Tunnel(_) => "tunnel",
            RockShape::Bridge(_) => "bridge",
        }
    }

    /// Returns the width of the deck, m; of a bridge only.
    #[must_use]
    pub fn deck_m(&self) -> Option<f64> {
        match &self.shape {
            RockShape::Bridge(line) => line.deck_m(),
            _ => None,
        }
    }

    /// Returns the elevations that the structure reaches, with their keys.
    #[must_use]
    pub fn elevations_m(&self) -> Vec<(&'static str, f64)> {
        match &self.shape {
            RockShape::Voxels(voxels) => voxels.elevations_m(),
            RockShape::Mesh(mesh) => mesh.elevations_m(),
            RockShape::Tunnel(line) | RockShape::Bridge(line) => line.elevations_m(),
        }
    }

    /// Carves or builds the structure.
    ///
    /// # Errors
    ///
    /// If the structure reaches over NoData or off the map.
    pub fn put(&self, works: &mut Earthworks) -> Result<(), UserError> {
        let done = match &self.shape {
            RockShape::Voxels(voxels) => voxels.put(works),
            RockShape::Mesh(mesh) => mesh.put(works),
            RockShape::Tunnel(line) | RockShape::Bridge(line) => line.put(works),
        };
        done.map_err(|error| refused((self.kind(), &self.name), error))
    }

    /// Returns the description, in words.
    pub(super) fn words(&self) -> String {
        match &self.shape {
            RockShape::Voxels(voxels) => voxels.words(),
            RockShape::Mesh(mesh) => mesh.words(),
            RockShape::Tunnel(line) | RockShape::Bridge(line) => line.words(),
        }
    }
}

/// Returns all structures of a scenario, in the order in which they are built and carved.
pub(super) fn resolve(scenario: &Scenario, map: &MapPlan) -> Result<Vec<RockPlan>, UserError> {
    let mut found = FoundRocks { map, rocks: Vec::new() };
    found.add(
        "voxels",
        &scenario.voxels,
        |table| table.name.as_deref(),
        |asked, table| Ok((vec![table.at], RockShape::Voxels(Voxels::of(asked, table)?))),
    )?;
    found.add(
        "mesh",
        &scenario.mesh,
        |table| table.name.as_deref(),
        |asked, table| Ok((vec![table.at], RockShape::Mesh(RockMesh::of(asked, table)?))),
    )?;
    found.add(
        "tunnel",
        &scenario.tunnel,
        |table| table.name.as_deref(),
        |asked, table| Ok((table.path.clone(), RockShape::Tunnel(RockLine::tunnel(asked, table)?))),
    )?;
    found.add(
        "bridge",
        &scenario.bridge,
        |table| table.name.as_deref(),
        |asked, table| Ok((table.path.clone(), RockShape::Bridge(RockLine::bridge(asked, table)?))),
    )?;
    let mut before = HashSet::new();
    for rock in &found.rocks {
        if rock.name.is_empty() || !before.insert(&rock.name) {
            return Err(UserError::new(
                format!("the name `{}` of a {} is empty or taken", rock.name, rock.kind()),
                "give each tunnel, bridge, mesh and voxels a `name` of its own",
            ));
        }
    }
    Ok(found.rocks)
}

/// Structures that were found so far.
struct FoundRocks<'a> {
    map: &'a MapPlan,
    rocks: Vec<RockPlan>,
}

impl FoundRocks<'_> {
    /// Adds the structures of a section; `shape` gives the path and the shape of a table.
    fn add<T>(
        &mut self,
        kind: &'static str,
        tables: &[T],
        name: impl Fn(&T) -> Option<&str>,
        shape: impl Fn(&RockRequest<'_>, &T) -> Result<(Vec<[f64; 2]>, RockShape), UserError>,
    ) -> Result<(), UserError> {
        for (index, table) in tables.iter().enumerate() {
            let name = name_of(name(table), kind, index, tables.len());
            let (path, shape) = shape(&RockRequest { kind, name: &name, map: self.map }, table)?;
            let path = path.into_iter().map(|[x, y]| MapPoint { x, y }).collect();
            self.rocks.push(RockPlan { name, path, shape });
        }
        Ok(())
    }
}
