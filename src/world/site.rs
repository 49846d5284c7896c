//! The site of a world: everything from which a leaf of any level is made.
//!
//! Guarantees: a leaf made now is the leaf that would have been made at the beginning.
//! Limits:     a class of a coarse cell is that of the base cell in its middle, or of the nearest
//!             one with ground.

use crate::world::WorldError;
use crate::world::classes::{ClassMap, ClassSource, Valued};
use crate::world::coverage::CoverageMap;
use crate::world::edges::Boundary;
use crate::world::edited_pages;
use crate::world::falls::FaceFalls;
use crate::world::fed::Fed;
use crate::world::holes::MapHoles;
use crate::world::relief::{WorldRelief, beds_kind};
use crate::world::setup::{ColumnKind, Setup};
use crate::world::shores::{OtherEnds, Shores};
use crate::world::stacks::{Voids, check_voids, pinned_tiles};
use crate::world::tables::Tables;
use crate::world::weather_area::{WeatherArea, check_areas};
use std::collections::BTreeSet;
use std::sync::Arc;
use thalweg_engine::forest::Coverage;
use thalweg_engine::forest::criteria::Scale;
use thalweg_engine::forest::{Forest, cut_out, place_in};
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::grid::{TILE_CELLS, TileKey};
use thalweg_engine::sim::boundary::BoundaryFace;
use thalweg_engine::sim::forcing::CellClasses;
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::sim::regrid::LeafSource;
use thalweg_engine::store::Key;
use thalweg_engine::store::terrain::{bed_extent, tile_extents};
use thalweg_engine::stream::PageKind;
use thalweg_engine::terrain::edit::EditBase;
use thalweg_engine::terrain::{Changed, EditError, EditPlan, Shape, Terrain};
use thalweg_engine::tile::columns::build::{CellBlock, FinestBeds};
use thalweg_engine::tile::columns::{Columns, LeafColumns};
use thalweg_engine::tile::{CowPlane, Ground};
use thalweg_engine::units::{OUTSIDE, VerticalScale};

/// All that a leaf is made from.
#[derive(Clone)]
pub(super) struct WorldSite {
    pub(super) relief: WorldRelief,
    pub(super) base: u8,
    columns: ColumnKind,
    pub(super) boundary: Boundary,
    /// Class of Manning's n of the base cells.
    roughness: Option<ClassMap>,
    /// Class of each layer's base cells.
    layers: Vec<Option<ClassMap>>,
    /// Areas of layers that act in one.
    areas: Vec<Option<Arc<WeatherArea>>>,
    covers: CoverageMap,
    tables: Tables,
    /// Cells without data that the ground encloses, if they have an edge of their own.
    pub(super) holes: MapHoles,
    /// Falls of the ground where the world ends.
    pub(super) falls: FaceFalls,
    pub(super) shores: Shores,
    /// Cells of inflows that enter at the end of a valley.
    pub(super) fed: Fed,
    /// Tiles of the base level that stay leaves for their intervals, and all tiles over them.
    pinned: BTreeSet<TileKey>,
}

impl std::fmt::Debug for WorldSite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldSite")
            .field("base", &self.base)
            .field("boundary", &self.boundary)
            .finish_non_exhaustive()
    }
}

impl WorldSite {
    /// Makes a site whose leaves are of `base` or coarser, without classes.
    pub(super) fn new(
        relief: WorldRelief,
        base: u8,
        columns: ColumnKind,
        boundary: Boundary,
    ) -> Self {
        let covers = match &relief {
            WorldRelief::InMemory(terrain) => CoverageMap::of_terrain(terrain, base, columns),
            WorldRelief::InFile(pager) => CoverageMap::of_pages(pager, base, columns),
        };
        let tables = match (columns, relief.in_memory()) {
            (ColumnKind::SubGrid, Some(terrain)) => Tables::of_terrain(terrain),
            _ => Tables::default(),
        };
        let (roughness, layers, areas) = (None, Vec::new(), Vec::new());
        Self {
            relief,
            base,
            columns,
            boundary,
            roughness,
            layers,
            areas,
            covers,
            tables,
            holes: MapHoles::default(),
            falls: FaceFalls::default(),
            shores: Shores::default(),
            fed: Fed::default(),
            pinned: BTreeSet::new(),
        }
    }

    /// Finds the holes, the falls of the ground where the world ends, and the seas beyond.
    pub(super) fn find_falls(&mut self) {
        self.holes = self.holes_again();
        self.falls = self.falls_again();
        // A page that could not be read is reported by the pager.
        self.shores = self.shores_again().unwrap_or_default();
    }

    /// Finds the holes, from the beds as they are, if they have an edge of their own.
    pub(super) fn holes_again(&self) -> MapHoles {
        if self.boundary.has_holes() { MapHoles::of(&self.relief) } else { MapHoles::default() }
    }

    /// Returns the finest cells of the holes.
    pub(super) fn hole_cells(&self) -> impl Iterator<Item = CellPlace> {
        self.holes.cells()
    }

    /// Finds the falls, from the beds as they are.
    pub(super) fn falls_again(&self) -> FaceFalls {
        FaceFalls::of(&self.relief, self.boundary.falls_sought(), &self.holes)
    }

    /// Finds the shores, from the beds as they are; `None` if a page could not be read.
    pub(super) fn shores_again(&self) -> Option<Shores> {
        Shores::of(&self.relief, &self.boundary, self.base)
    }

    /// Sets the classes of all base cells: for Manning's n, and for each layer.
    ///
    /// # Errors
    ///
    /// [`WorldError::Class`] if a class has no value.
    pub(super) fn classify(
        &mut self,
        roughness: Option<(ClassSource, usize)>,
        layers: impl IntoIterator<Item = Option<(ClassSource, usize)>>,
    ) -> Result<(), WorldError> {
        let tiles: Vec<TileKey> = self.covers.tiles(self.base).collect();
        let known = |what, (classes, count): (ClassSource, usize)| {
            classes.known(Valued { what, count }, &tiles, |key| self.beds(key))
        };
        let roughness = roughness.map(|asked| known("roughness", asked)).transpose()?;
        let layers = layers.into_iter().map(|asked| asked.map(|asked| known("rate", asked)));
        let layers = layers.map(Option::transpose).collect::<Result<_, _>>()?;
        (self.roughness, self.layers) = (roughness, layers);
        self.areas = vec![None; self.layers.len()];
        Ok(())
    }

    /// Returns the classes of the base cells: part 0 for Manning's n, 1 + i for layer i.
    pub(super) fn classes(&self) -> impl Iterator<Item = (usize, &ClassMap)> {
        let all = [&self.roughness].into_iter().chain(&self.layers);
        all.enumerate().filter_map(|(part, map)| Some((part, map.as_ref()?)))
    }

    /// Returns the bytes of the classes.
    pub(super) fn class_bytes(&self) -> u64 {
        self.classes().map(|(_, map)| map.bytes()).sum()
    }

    /// Returns the world as criteria see it, with leaves up to level `coarsest`.
    pub(super) fn extent(&self, coarsest: u8) -> Result<Scale, WorldError> {
        extent(&self.relief, self.base, coarsest)
    }

    /// Returns the finest level that a leaf may have.
    pub(super) fn base(&self) -> u8 {
        self.base
    }

    /// Returns the kind of columns: how coarse cells represent the ground below.
    pub(super) fn columns(&self) -> ColumnKind {
        self.columns
    }

    /// Returns the coverage of tiles.
    pub(super) fn covers(&self) -> &CoverageMap {
        &self.covers
    }

    /// Returns the beds.
    pub(super) fn relief(&self) -> &WorldRelief {
        &self.relief
    }

    /// Returns the terrain, if it is in memory.
    pub(super) fn terrain(&self) -> Option<&Terrain> {
        self.relief.in_memory()
    }

    /// Returns the finest beds.
    pub(super) fn finest_beds(&self) -> &(dyn FinestBeds + Sync) {
        match &self.relief {
            WorldRelief::InMemory(terrain) => &**terrain,
            WorldRelief::InFile(pager) => &**pager,
        }
    }

    /// Returns the vertical unit and datum.
    pub(super) fn scale(&self) -> VerticalScale {
        self.relief.scale()
    }

    /// Returns the number of finest cells with ground that belong to no base cell.
    pub(super) fn excluded_cells(&self) -> usize {
        match (self.columns, self.terrain()) {
            (ColumnKind::Flat, Some(terrain)) => terrain.excluded_cells(self.base),
            // Pages are of the finest level.
            _ => 0,
        }
    }

    /// Looks at the finest beds, to plan an edit.
    pub(super) fn with_base<T>(&self, look: impl FnOnce(&EditBase<'_>) -> T) -> T {
        match &self.relief {
            WorldRelief::InMemory(terrain) => terrain.with_base(look),
            WorldRelief::InFile(pager) => edited_pages::with_base(pager, look),
        }
    }

    /// Makes a planned edit of the terrain.
    ///
    /// # Errors
    ///
    /// [`EditError::Page`]; then nothing has changed.
    pub(super) fn edit(&mut self, plan: &EditPlan) -> Result<Changed, EditError> {
        match &mut self.relief {
            WorldRelief::InMemory(terrain) => {
                let terrain = Arc::make_mut(terrain);
                let changed = terrain.apply(plan);
                self.tables.follow(&changed, terrain);
                Ok(changed)
            }
            WorldRelief::InFile(pager) => edited_pages::apply(pager, plan),
        }
    }

    /// Waits for the pages of leaves that are made anew.
    ///
    /// # Errors
    ///
    /// [`EditError::Page`].
    pub(super) fn fetch(&self, leaves: &[TileKey]) -> Result<(), EditError> {
        if self.relief.has_pages(leaves, self.columns) { Ok(()) } else { Err(self.unread()) }
    }

    /// Brings the falls of the ground and the shores up to date with a change of beds; returns the
    /// finest tiles whose falls have changed.
    ///
    /// # Errors
    ///
    /// [`EditError::Page`]; then they are as they were.
    pub(super) fn follow_falls(&mut self, changed: &Changed) -> Result<OtherEnds, EditError> {
        let has_others = self.boundary.has_shores() && self.shores.depend_on(changed);
        let shores = match has_others {
            true => Some(self.shores_again().ok_or_else(|| self.unread())?),
            false => None,
        };
        let falls = self.falls.follow(changed, &self.relief).ok_or_else(|| self.unread())?;
        let shores = shores.is_some_and(|shores| self.shores.replace(shores));
        Ok(OtherEnds { falls, shores })
    }

    /// Brings the shores up to date with the stages of edges; returns true if they have changed. If
    /// a page could not be read, which the pager reports, they stay as they were.
    pub(super) fn follow_stages(&mut self) -> bool {
        let is_other = self.shores.have_other_seas(&self.boundary);
        let shores = if is_other { self.shores_again() } else { None };
        shores.is_some_and(|shores| self.shores.replace(shores))
    }

    /// Returns the error of a page that could not be read.
    fn unread(&self) -> EditError {
        let error = self.relief.in_file().and_then(|pager| pager.error());
        EditError::Page { reason: error.map_or_else(String::new, |error| error.to_string()) }
    }

    /// Returns the extents of a tile that was edited.
    ///
    /// # Errors
    ///
    /// [`WorldError::Page`].
    pub(super) fn edited_extents(&self, tile: TileKey) -> Result<Vec<(Key, Vec<u8>)>, WorldError> {
        match &self.relief {
            WorldRelief::InMemory(terrain) => Ok(tile_extents(terrain, tile)),
            WorldRelief::InFile(pager) => {
                let beds = pager.beds(PageKind::GroundBeds.of(tile));
                let beds = beds.map_err(|error| WorldError::Page { reason: error.to_string() })?;
                Ok(vec![bed_extent(tile, &beds)])
            }
        }
    }

    /// Makes the tables of all leaves that may exist, on the levels where that is slow.
    pub(super) fn fill_tables(&self, coarsest: u8) {
        if let (ColumnKind::SubGrid, Some(terrain)) = (self.columns, self.terrain()) {
            let levels = self.base..=coarsest;
            self.tables.fill(levels.flat_map(|level| self.covers.tiles(level)), terrain);
        }
    }

    /// Returns the bytes of all tables: of the stored ones, and of the leaves.
    pub(super) fn table_bytes<'a>(
        &self,
        leaves: impl Iterator<Item = (TileKey, &'a Ground)>,
    ) -> usize {
        let of_leaf = |(key, ground): (TileKey, &'a Ground)| {
            let columns = ground.columns.as_ref()?;
            let tables = if self.tables.keeps(key.level) { 0 } else { columns.bytes() };
            Some(tables + LeafColumns::BYTES_OF_PIECES)
        };
        self.tables.bytes() + leaves.filter_map(of_leaf).sum::<usize>()
    }

    /// Returns the leaves whose ground an edit changed, of one level.
    pub(super) fn changed_tiles(&self, changed: &Changed, level: u8) -> Vec<TileKey> {
        match self.columns {
            ColumnKind::SubGrid if level > 0 => changed.tiles_beside(level),
            _ => changed.tiles(level),
        }
    }

    /// Returns the columns and rows of a level.
    pub(super) fn size(&self, level: u8) -> (usize, usize) {
        self.relief.size(level).expect("leaves are of levels the terrain has")
    }

    /// Returns the bed of a cell of a level; [`OUTSIDE`] if it is no part of the world.
    pub(super) fn bed(&self, level: u8, x: usize, y: usize) -> i32 {
        let terrain = match &self.relief {
            WorldRelief::InMemory(terrain) => terrain,
            WorldRelief::InFile(pager) => return pager.bed(beds_kind(self.columns), level, x, y),
        };
        let beds = terrain.level(level).expect("leaves are of levels the terrain has");
        match self.columns {
            ColumnKind::Flat => beds.bed(x, y),
            ColumnKind::SubGrid => beds.ground_bed(x, y),
        }
    }

    /// Whether a cell of the base level has ground, for any leaves; `None` if beds stay in their
    /// file.
    pub(super) fn is_ground(&self, place: CellPlace) -> Option<bool> {
        let (columns, rows) = self.size(self.base());
        let [x, y] = place.indices();
        let is_held = matches!(self.relief, WorldRelief::InMemory(_));
        let is_ground = || x < columns && y < rows && self.bed(self.base(), x, y) != OUTSIDE;
        is_held.then(is_ground)
    }

    /// Returns the coverage of a tile by ground.
    pub(super) fn ground_cover(&self, key: TileKey) -> Coverage {
        self.covers.of(key)
    }

    /// Returns the coverage of a tile; a tile that contains a pinned tile, or that the edge cuts,
    /// cannot be a leaf.
    pub(super) fn cover(&self, key: TileKey) -> Coverage {
        match self.covers.of(key) {
            Coverage::Whole if key.level > self.base && self.pinned.contains(&key) => {
                Coverage::Ragged
            }
            cover => cover,
        }
    }

    /// Pins the tiles that contain voids, on a map of the columns and rows `size`.
    ///
    /// # Errors
    ///
    /// [`WorldError::Stack`] if they reach beyond it.
    pub(super) fn pin_voids(
        &mut self,
        voids: &Voids,
        size: (usize, usize),
    ) -> Result<(), WorldError> {
        check_voids(voids, size).map_err(WorldError::Stack)?;
        let base = self.base;
        self.pin(voids.spans.iter().flat_map(|span| span.tiles(base)));
        Ok(())
    }

    /// Pins the tiles of the base level that contain intervals, and the tiles around them; returns
    /// whether the pinned tiles have changed.
    pub(super) fn pin(&mut self, tiles: impl Iterator<Item = TileKey>) -> bool {
        let pinned = self.pinned_by(tiles);
        let differs = pinned != self.pinned;
        self.pinned = pinned;
        differs
    }

    /// True if exactly the tiles are pinned that these tiles with intervals would pin.
    pub(super) fn pins(&self, tiles: impl Iterator<Item = TileKey>) -> bool {
        self.pinned_by(tiles) == self.pinned
    }

    /// Returns the tiles on all levels that these base-level tiles with intervals pin.
    fn pinned_by(&self, tiles: impl Iterator<Item = TileKey>) -> BTreeSet<TileKey> {
        let finest = pinned_tiles(tiles);
        let mut pinned = finest.clone();
        for level in self.base + 1..=self.relief.coarsest() {
            pinned.extend(finest.iter().map(|key| key.ancestor(level)));
        }
        pinned
    }

    /// Checks that the leaves of a forest are such that can be, and cover all ground.
    ///
    /// # Errors
    ///
    /// [`WorldError::Leaf`] names the first tile that is no leaf or has none.
    pub(super) fn check(&self, forest: &Forest) -> Result<(), WorldError> {
        for &key in forest.leaves() {
            let cover = self.ground_cover(key);
            if cover != Coverage::Whole {
                return Err(WorldError::Leaf { key, cover: Some(cover) });
            }
        }
        let missing = self.covers.tiles(self.base).find(|&key| forest.covering(key).is_none());
        missing.map_or(Ok(()), |key| Err(WorldError::Leaf { key, cover: None }))
    }

    /// Returns the beds of a tile.
    pub(super) fn beds(&self, key: TileKey) -> CowPlane<i32> {
        match &self.relief {
            WorldRelief::InMemory(_) => cut_out(key, |x, y| self.bed(key.level, x, y)).bed,
            // A page that could not be read is reported by the pager.
            WorldRelief::InFile(pager) => {
                let page = pager.beds(beds_kind(self.columns).of(key));
                page.unwrap_or_else(|_| vec![OUTSIDE; TILE_CELLS].into())
            }
        }
    }

    /// Returns the ground of a tile.
    pub(super) fn ground(&self, key: TileKey) -> Ground {
        let mut ground = Ground::flat(self.beds(key));
        if self.columns == ColumnKind::SubGrid && key.level > 0 {
            ground.columns = self.tables(key).map(LeafColumns::new);
        }
        ground.roughness = self.roughness_of(key, &ground);
        ground
    }

    /// Returns the classes of roughness of the cells of a tile with this ground; `None` if the
    /// world has only one class.
    pub(super) fn roughness_of(&self, key: TileKey, ground: &Ground) -> Option<CowPlane<u8>> {
        let classes = self.plane_of(self.roughness.as_ref()?, key, ground);
        let byte = |class: &u16| u8::try_from(*class).expect("256 classes at most");
        Some(classes.iter().map(byte).collect())
    }

    /// Returns the tables stored for later leaves, by tile.
    pub(super) fn kept_tables(&self) -> impl Iterator<Item = (TileKey, &Arc<Columns>)> {
        self.tables.kept()
    }

    /// Returns a tile's tables; `None` if their page could not be read, which the pager reports.
    fn tables(&self, key: TileKey) -> Option<Arc<Columns>> {
        match &self.relief {
            WorldRelief::InMemory(terrain) => Some(self.tables.of(key, terrain)),
            WorldRelief::InFile(pager) => pager.tables(key).ok(),
        }
    }

    /// Returns the classes of the cells of a tile under a layer; `None` if all are of class 0.
    pub(super) fn layer_classes(
        &self,
        layer: usize,
        key: TileKey,
        ground: &Ground,
    ) -> Option<CellClasses> {
        if self.areas[layer].is_some() {
            return self.area_classes(layer, key, || ground);
        }
        let map = self.layers[layer].as_ref()?;
        if key.level == self.base {
            return Some(map.0.get(&key).cloned().unwrap_or(CellClasses::One(0)));
        }
        Some(self.plane_of(map, key, ground).into())
    }

    /// Returns the classes of the cells of a tile in the area of a layer; `None` if all are of
    /// class 0. Reads the ground only if needed: cells of sub-grid columns may be partly outside.
    pub(super) fn area_classes<'a>(
        &self,
        layer: usize,
        key: TileKey,
        ground: impl FnOnce() -> &'a Ground,
    ) -> Option<CellClasses> {
        let near = |cell| self.ground_near(place_in(self.base, key, cell), key, cell);
        let has_parts = self.columns == ColumnKind::SubGrid && key.level > 0;
        let ground = has_parts.then(ground);
        self.areas[layer].as_ref()?.classes(self.base, (key, ground), near)
    }

    /// Makes the cells of an area.
    ///
    /// # Errors
    ///
    /// Same as [`WeatherArea::new`].
    pub(super) fn area(&self, area: &Shape) -> Result<WeatherArea, EditError> {
        WeatherArea::new(area, self.size(self.base), self.relief.cell_width_m(self.base))
    }

    /// Checks that the areas of a world together can be.
    ///
    /// # Errors
    ///
    /// Same as [`check_areas`].
    pub(super) fn check_areas<'a>(
        &self,
        areas: impl Iterator<Item = &'a Shape> + Clone,
    ) -> Result<(), WorldError> {
        check_areas(areas, (self.size(self.base).1, self.relief.cell_width_m(self.base)))
    }

    /// Gives all layers their areas.
    ///
    /// # Errors
    ///
    /// An area is invalid, or all areas together are too large.
    pub(super) fn set_areas(&mut self, setup: &Setup) -> Result<(), WorldError> {
        self.check_areas(setup.areas.values())?;
        for (&layer, area) in &setup.areas {
            let area = self.area(area).map_err(|reason| setup.no_area(layer, &reason))?;
            self.set_area(layer, Some(Arc::new(area)));
        }
        Ok(())
    }

    /// Gives a layer another area, or no area; returns the earlier area.
    pub(super) fn set_area(
        &mut self,
        layer: usize,
        area: Option<Arc<WeatherArea>>,
    ) -> Option<Arc<WeatherArea>> {
        std::mem::replace(&mut self.areas[layer], area)
    }

    /// Returns the classes of the cells of a tile; 0 outside.
    fn plane_of(&self, map: &ClassMap, key: TileKey, ground: &Ground) -> Vec<u16> {
        let of_cell = |cell: usize| match ground.is_inside(cell) {
            true => map.at(self.base, self.place(ground, key, cell)),
            false => 0,
        };
        (0..TILE_CELLS).map(of_cell).collect()
    }

    /// Returns the place of a cell of a tile among the base cells: of a coarser cell the one
    /// north-east of its middle, if that has ground, else the nearest.
    pub(super) fn place(&self, ground: &Ground, key: TileKey, cell: usize) -> CellPlace {
        let middle = place_in(self.base, key, cell);
        // A cell wholly inside has ground there: no search is needed.
        match ground.parts().is_some_and(|parts| parts.is_part(cell)) {
            true => self.ground_near(middle, key, cell),
            false => middle,
        }
    }

    /// Returns a base cell in a cell of a tile, if it has ground; else the cell with ground nearest
    /// to the middle, the first row by row.
    pub(super) fn ground_near(&self, place: CellPlace, key: TileKey, cell: usize) -> CellPlace {
        // With flat columns a cell has ground as a whole or not at all.
        if self.columns == ColumnKind::Flat {
            return place;
        }
        let has_ground = |at: &CellPlace| {
            let [x, y] = at.indices();
            self.bed(self.base, x, y) != OUTSIDE
        };
        if has_ground(&place) {
            return place;
        }
        let middle = place_in(self.base, key, cell);
        let half = 1 << (key.level - self.base) >> 1;
        let range = |middle: u32| middle - half..middle + half;
        let cells = range(middle.y).flat_map(|y| range(middle.x).map(move |x| CellPlace { x, y }));
        let away = |at: &CellPlace| {
            let [x, y] = [at.x.abs_diff(middle.x), at.y.abs_diff(middle.y)].map(u64::from);
            x * x + y * y
        };
        cells.filter(has_ground).min_by_key(away).unwrap_or(place)
    }
}

impl LeafSource for WorldSite {
    fn renew_face(&self, level: u8, place: CellPlace, face: &mut BoundaryFace) {
        self.boundary.set_outside(face, self.outside(level, place, face.side));
    }

    fn ground(&self, key: TileKey) -> Ground {
        self.ground(key)
    }

    fn renew_ground(&self, key: TileKey, changed: CellBlock, ground: &mut Ground) {
        let WorldRelief::InMemory(terrain) = &self.relief else {
            *ground = self.ground(key);
            return;
        };
        let corner = key.corner();
        let place = |cell| {
            let (column, row) = column_row(cell);
            CellPlace { x: corner.x + column, y: corner.y + row }.indices()
        };
        for cell in changed.cells_in(key) {
            let [x, y] = place(cell);
            ground.bed[cell] = self.bed(key.level, x, y);
        }
        if let Some(columns) = &mut ground.columns {
            *columns = LeafColumns::new(self.tables.renewed(key, changed, columns, terrain));
        }
    }

    fn layer_classes(&self, layer: usize, key: TileKey, ground: &Ground) -> Option<CellClasses> {
        self.layer_classes(layer, key, ground)
    }

    fn boundary_faces(
        &self,
        key: TileKey,
        ground: &Ground,
        ledger: &mut Ledger,
    ) -> Vec<BoundaryFace> {
        self.boundary_faces(key, ground, ledger)
    }
}

/// Returns a terrain as criteria see it, with leaves of `base` up to `coarsest`.
pub(super) fn extent(relief: &WorldRelief, base: u8, coarsest: u8) -> Result<Scale, WorldError> {
    let none = |level| WorldError::Level { level, coarsest: relief.coarsest() };
    relief.size(coarsest).ok_or(none(coarsest))?;
    let (width, height) = relief.size(base).ok_or(none(base))?;
    let cells = |count| u32::try_from(count).expect("2²⁰ cells a side");
    let size = CellPlace { x: cells(width), y: cells(height) };
    Scale::try_new(base, coarsest, relief.cell_width_m(base), size).map_err(WorldError::Criterion)
}
