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

use self::asked::{Asked, refused};
use self::line::Line;
use self::mesh::Mesh;
use self::voxels::Voxels;
use super::forcing::name_of;
use super::map::MapPlan;
use crate::file::Scenario;
use crate::place::Point;

/// A structure that is built or carved.
#[derive(Debug, Clone, PartialEq)]
pub struct Rock {
    /// Name of the structure.
    pub name: String,
    /// Corners of the line, or the place, in the map's coordinates.
    pub path: Vec<Point>,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Voxels(Voxels),
    Mesh(Mesh),
    Tunnel(Line),
    Bridge(Line),
}

impl Rock {
    /// Returns the section of the file: `voxels`, `mesh`, `tunnel` or `bridge`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.shape {
            Shape::Voxels(_) => "voxels",
            Shape::Mesh(_) => "mesh",
            Shape::Tunnel(_) => "tunnel",
            Shape::Bridge(_) => "bridge",
        }
    }

    /// Returns the width of the deck, m; of a bridge only.
    #[must_use]
    pub fn deck_m(&self) -> Option<f64> {
        match &self.shape {
            Shape::Bridge(line) => line.deck_m(),
            _ => None,
        }
    }

    /// Returns the elevations that the structure reaches, with their keys.
    #[must_use]
    pub fn elevations_m(&self) -> Vec<(&'static str, f64)> {
        match &self.shape {
            Shape::Voxels(voxels) => voxels.elevations_m(),
            Shape::Mesh(mesh) => mesh.elevations_m(),
            Shape::Tunnel(line) | Shape::Bridge(line) => line.elevations_m(),
        }
    }

    /// Carves or builds the structure.
    ///
    /// # Errors
    ///
    /// If the structure reaches over NoData or off the map.
    pub fn put(&self, works: &mut Earthworks) -> Result<(), UserError> {
        let done = match &self.shape {
            Shape::Voxels(voxels) => voxels.put(works),
            Shape::Mesh(mesh) => mesh.put(works),
            Shape::Tunnel(line) | Shape::Bridge(line) => line.put(works),
        };
        done.map_err(|error| refused((self.kind(), &self.name), error))
    }

    /// Returns the description, in words.
    pub(super) fn words(&self) -> String {
        match &self.shape {
            Shape::Voxels(voxels) => voxels.words(),
            Shape::Mesh(mesh) => mesh.words(),
            Shape::Tunnel(line) | Shape::Bridge(line) => line.words(),
        }
    }
}

/// Returns all structures of a scenario, in the order in which they are built and carved.
pub(super) fn resolve(scenario: &Scenario, map: &MapPlan) -> Result<Vec<Rock>, UserError> {
    let mut found = Found { map, rocks: Vec::new() };
    found.add(
        "voxels",
        &scenario.voxels,
        |table| table.name.as_deref(),
        |asked, table| Ok((vec![table.at], Shape::Voxels(Voxels::of(asked, table)?))),
    )?;
    found.add(
        "mesh",
        &scenario.mesh,
        |table| table.name.as_deref(),
        |asked, table| Ok((vec![table.at], Shape::Mesh(Mesh::of(asked, table)?))),
    )?;
    found.add(
        "tunnel",
        &scenario.tunnel,
        |table| table.name.as_deref(),
        |asked, table| Ok((table.path.clone(), Shape::Tunnel(Line::tunnel(asked, table)?))),
    )?;
    found.add(
        "bridge",
        &scenario.bridge,
        |table| table.name.as_deref(),
        |asked, table| Ok((table.path.clone(), Shape::Bridge(Line::bridge(asked, table)?))),
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
struct Found<'a> {
    map: &'a MapPlan,
    rocks: Vec<Rock>,
}

impl Found<'_> {
    /// Adds the structures of a section; `shape` gives the path and the shape of a table.
    fn add<T>(
        &mut self,
        kind: &'static str,
        tables: &[T],
        name: impl Fn(&T) -> Option<&str>,
        shape: impl Fn(&Asked<'_>, &T) -> Result<(Vec<[f64; 2]>, Shape), UserError>,
    ) -> Result<(), UserError> {
        for (index, table) in tables.iter().enumerate() {
            let name = name_of(name(table), kind, index, tables.len());
            let (path, shape) = shape(&Asked { kind, name: &name, map: self.map }, table)?;
            let path = path.into_iter().map(|[x, y]| Point { x, y }).collect();
            self.rocks.push(Rock { name, path, shape });
        }
        Ok(())
    }
}
