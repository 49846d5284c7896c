//! Ground with structures built over it and spaces carved into it: houses, bridges, aqueducts,
//! tunnels.
//!
//! ```text
//!        ┌──────┐            the top of the highest rock of a cell is its new ground,
//!        │ ≈≈≈≈ │ ═══════    air below that becomes intervals
//!   ▓▓▓▓▓▓▓▓▓▓▓▓▓▓≈≈≈≈≈▓▓
//! ```

use crate::world::stacks::deck::{Deck, slabs};
use crate::world::stacks::rock::RockError;
use crate::world::stacks::shell::insides;
use crate::world::stacks::steps::{GROUND_MOST, THIN_M, check_area, check_length};
use crate::world::stacks::tunnel::{TunnelSection, tube};
use crate::world::stacks::voids::Voids;
use std::collections::BTreeMap;
use thalweg_engine::body::Solid;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::terrain::Terrain;

/// A ground of cells of the simulated level, with rock built over it and carved out of it in order:
/// if two parts meet, the later one counts. [`Earthworks::terrain`] and [`Earthworks::voids`] make
/// a world of it.
///
/// Gaps of air, and slabs of rock, thinner than 2 mm are removed.
///
/// # Examples
///
/// A house with two storeys and a door, beside a river below a bridge:
///
/// ```
/// use thalweg::body::Solid;
/// use thalweg::prelude::*;
/// let bed = |x: usize| if (40..50).contains(&x) { -3.0 } else { 0.0 };
/// let mut works = Earthworks::new([64, 64], 1.0, |x, _| bed(x))?;
/// works.raise(&Solid::cuboid([12.0, 10.0, 6.4])?, [20.0, 20.0, 3.2])?;
/// for storey in [1.5, 4.7] {
///     works.hollow(&Solid::cuboid([10.0, 8.0, 3.0])?, [20.0, 20.0, storey])?;
/// }
/// works.hollow(&Solid::cuboid([2.0, 1.0, 2.0])?, [26.0, 20.5, 1.0])?;
/// let deck = Deck { width_m: 4.0, thickness_m: 0.5, parapet_m: 1.0 };
/// works.bridge(&[[38.0, 40.0, 1.0], [52.0, 40.0, 1.0]], deck)?;
/// let place = CellPlace { x: 20, y: 20 };
/// assert!((works.ground_m(place).expect("a roof") - 6.4).abs() < 1.0e-12);
/// let world = WorldBuilder::new(works.terrain()?).voids(works.voids()).build()?;
/// assert_eq!(world.stacks().intervals_at(place).len(), 2);
/// let below = world.stacks().intervals_at(CellPlace { x: 45, y: 40 });
/// assert_eq!((below[0].bed_m, below[0].ceiling_m), (-3.0, 0.5));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Earthworks {
    size: [usize; 2],
    cell_width_m: f64,
    /// The original ground, row by row.
    ground_m: Vec<f64>,
    /// Rock of the cells that were changed, by row and column, from the lowest to the highest.
    columns: BTreeMap<[u32; 2], Vec<[f64; 2]>>,
}

impl Earthworks {
    /// Creates a ground from its columns and rows, and the height of each cell, m; NaN is outside
    /// the map, as in [`Terrain::from_heights`].
    ///
    /// # Errors
    ///
    /// [`RockError::Length`] if the width of a cell is invalid, [`RockError::Many`] if the number
    /// of cells exceeds that of a map of this kind.
    pub fn new(
        size: [usize; 2],
        cell_width_m: f64,
        height_m: impl Fn(usize, usize) -> f64,
    ) -> Result<Self, RockError> {
        check_length("width of a cell", cell_width_m)?;
        let [width, height] = size;
        check_area(width as f64 * height as f64, GROUND_MOST)?;
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let ground_m = places.map(|(x, y)| height_m(x, y)).collect();
        Ok(Self { size, cell_width_m, ground_m, columns: BTreeMap::new() })
    }

    /// Fills the inside of a closed solid with rock: the walls, floors and roof of a house.
    /// `origin_m` is the origin of the solid east and north of the corner of the map, and its
    /// height, m.
    ///
    /// # Errors
    ///
    /// The errors of [`Voids::hollow`], and [`RockError::Outside`] beyond any side of the map.
    pub fn raise(&mut self, solid: &Solid, origin_m: [f64; 3]) -> Result<&mut Self, RockError> {
        self.build(insides(solid, origin_m, self.cell_width_m)?)
    }

    /// Removes the rock from the inside of a closed solid: rooms, doors, cellars, pits.
    ///
    /// # Errors
    ///
    /// The errors of [`Earthworks::raise`].
    pub fn hollow(&mut self, solid: &Solid, origin_m: [f64; 3]) -> Result<&mut Self, RockError> {
        self.carve(insides(solid, origin_m, self.cell_width_m)?)
    }

    /// Carves a tunnel as [`Voids::tunnel`] does; if its crown reaches the surface of the ground,
    /// it continues as an open cutting.
    ///
    /// # Errors
    ///
    /// The errors of [`Voids::tunnel`], and [`RockError::Outside`] beyond any side of the map.
    pub fn tunnel(
        &mut self,
        points_m: &[[f64; 3]],
        section: TunnelSection,
    ) -> Result<&mut Self, RockError> {
        self.carve(tube(points_m, section, self.cell_width_m)?)
    }

    /// Builds a bridge or an aqueduct along a line of points: east and north of the corner of the
    /// map, and the height of the top of its deck, m. Higher ground stays.
    ///
    /// # Errors
    ///
    /// [`RockError`] if a number of the line or the deck is invalid, or a cell is outside the map.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// // A valley of 10 m between two banks, and an aqueduct across it.
    /// let bank = |x: usize| if (16..48).contains(&x) { 0.0 } else { 10.0 };
    /// let mut works = Earthworks::new([64, 32], 1.0, |x, _| bank(x))?;
    /// let deck = Deck { width_m: 2.0, thickness_m: 1.0, parapet_m: 1.5 };
    /// works.bridge(&[[14.0, 16.0, 8.0], [50.0, 16.0, 8.0]], deck)?;
    /// let world = WorldBuilder::new(works.terrain()?).voids(works.voids());
    /// let is_deck = |place: CellPlace| (16..48).contains(&place.x) && (15..17).contains(&place.y);
    /// let water = move |place: CellPlace| if is_deck(place) { 1.0 } else { 0.0 };
    /// let mut world = world.initial_depth(water).build()?;
    /// world.run_until(SimTime::from_seconds(60.0));
    /// assert_eq!(world.stacks().volume_m3(), 0.0, "nothing gets through");
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn bridge(&mut self, points_m: &[[f64; 3]], deck: Deck) -> Result<&mut Self, RockError> {
        self.build(slabs(points_m, deck, self.cell_width_m)?)
    }

    /// Adds rock to parts of cells, each from one height to another, m: piers, walls.
    ///
    /// # Errors
    ///
    /// [`RockError::Outside`] names the first cell beyond the map; then nothing is built.
    pub fn build(
        &mut self,
        parts: impl IntoIterator<Item = (CellPlace, [f64; 2])>,
    ) -> Result<&mut Self, RockError> {
        self.change(parts, built)
    }

    /// Removes the rock of parts of cells, each from one height to another, m.
    ///
    /// # Errors
    ///
    /// [`RockError::Outside`] names the first cell beyond the map; then nothing is carved.
    pub fn carve(
        &mut self,
        parts: impl IntoIterator<Item = (CellPlace, [f64; 2])>,
    ) -> Result<&mut Self, RockError> {
        self.change(parts, carved)
    }

    /// Returns the top of the highest rock of a cell, m; NaN or nothing outside the map.
    #[must_use]
    pub fn ground_m(&self, place: CellPlace) -> Option<f64> {
        match self.columns.get(&[place.y, place.x]) {
            Some(column) => solid_rock(column).last().map(|rock| rock[1]),
            None => self.first_ground_m(place),
        }
    }

    /// Returns a terrain of the highest rock.
    ///
    /// # Errors
    ///
    /// [`RockError::Terrain`] if the heights make no valid terrain.
    pub fn terrain(&self) -> Result<Terrain, RockError> {
        let ground_m = |x: usize, y: usize| {
            let place = [x, y].map(|at| u32::try_from(at).expect("as many cells as an area has"));
            self.ground_m(place.into()).expect("within the map")
        };
        let tops_m = self.columns.values().flatten().map(|rock| rock[1]);
        let lowest_m = tops_m.fold(f64::INFINITY, f64::min);
        let map = (self.size, self.cell_width_m);
        let terrain = Terrain::from_heights_over(lowest_m, map, ground_m);
        terrain.map_err(RockError::Terrain)
    }

    /// Returns the air below the highest rock, as carved parts.
    #[must_use]
    pub fn voids(&self) -> Voids {
        let gaps = self.columns.iter().flat_map(|(&[y, x], column)| {
            let rock = solid_rock(column);
            let gap = move |pair: &[[f64; 2]]| (CellPlace { x, y }, [pair[0][1], pair[1][0]]);
            rock.windows(2).map(gap).collect::<Vec<_>>()
        });
        gaps.collect()
    }

    fn first_ground_m(&self, place: CellPlace) -> Option<f64> {
        let [x, y] = place.indices();
        let is_within = x < self.size[0] && y < self.size[1];
        is_within.then(|| self.ground_m[y * self.size[0] + x])
    }

    fn change(
        &mut self,
        parts: impl IntoIterator<Item = (CellPlace, [f64; 2])>,
        changed: impl Fn(&[[f64; 2]], [f64; 2]) -> Vec<[f64; 2]>,
    ) -> Result<&mut Self, RockError> {
        let parts: Vec<(CellPlace, [f64; 2])> = parts.into_iter().collect();
        for &(place, [low_m, high_m]) in &parts {
            if self.first_ground_m(place).is_none_or(f64::is_nan) {
                let cell = [place.x.into(), place.y.into()];
                return Err(RockError::Outside { cell });
            }
            check_length("height of a part of a cell", high_m - low_m)?;
        }
        for (place, span_m) in parts {
            let ground_m = self.first_ground_m(place).expect("checked above");
            // All below the first ground is rock down to −∞, so carving always leaves a floor.
            let first = || vec![[f64::NEG_INFINITY, ground_m]];
            let column = self.columns.entry([place.y, place.x]).or_insert_with(first);
            *column = changed(column, span_m);
        }
        Ok(self)
    }
}

/// Returns the rock with a span added.
fn built(rock: &[[f64; 2]], mut span: [f64; 2]) -> Vec<[f64; 2]> {
    let mut all = Vec::with_capacity(rock.len() + 1);
    for &own in rock {
        if own[1] < span[0] || own[0] > span[1] {
            all.push(own);
        } else {
            span = [span[0].min(own[0]), span[1].max(own[1])];
        }
    }
    all.push(span);
    all.sort_by(|a, b| a[0].total_cmp(&b[0]));
    all
}

/// Returns the rock with a span removed.
fn carved(rock: &[[f64; 2]], span: [f64; 2]) -> Vec<[f64; 2]> {
    let parts = |&[low, high]: &[f64; 2]| [[low, high.min(span[0])], [low.max(span[1]), high]];
    rock.iter().flat_map(parts).filter(|[low, high]| low < high).collect()
}

/// Returns the rock of a column without the gaps, and then without the slabs, that are too thin.
fn solid_rock(rock: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut all: Vec<[f64; 2]> = Vec::with_capacity(rock.len());
    for &own in rock {
        match all.last_mut().filter(|last| own[0] - last[1] < THIN_M) {
            Some(last) => last[1] = own[1],
            None => all.push(own),
        }
    }
    all.retain(|own| own[1] - own[0] >= THIN_M);
    all
}
