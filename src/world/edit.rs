//! Edits of a world while it runs: of its terrain, and all actions of a player.

use crate::world::World;
use crate::world::cells::WorldCells;
use crate::world::falls::FALL_REACH;
use crate::world::shores::OtherEnds;
use std::ops::Range;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TILE_WIDTH, TileKey};
use thalweg_engine::terrain::{Changed, Edit, EditError, EditPlan};
use thalweg_engine::tile::columns::build::CellBlock;
use thalweg_engine::units::CEILING;

/// Edits of a world between two cycles, with a way back: [`World::edits`].
#[derive(Debug)]
pub struct Edits<'a> {
    pub(super) world: &'a mut World,
}

impl World {
    /// Actions with their way back, and edits of the terrain, between cycles: one that is under way
    /// ends first.
    pub fn edits(&mut self) -> Edits<'_> {
        self.finish_cycle();
        Edits { world: self }
    }
}

impl Edits<'_> {
    /// Changes beds: raises, lowers, flattens, carves or pastes. Water on top is kept, to the unit,
    /// and moves with its bed; it wakes. [`Edits::act`] does the same with a way back.
    ///
    /// # Errors
    ///
    /// [`EditError`] names the fault of the edit, its place, and a remedy. Then nothing has
    /// changed.
    pub fn edit(&mut self, edit: &Edit) -> Result<Changed, EditError> {
        let plan = self.world.cells().plan(edit)?;
        self.world.change(|world| world.edits().follow_plan(&plan)).map(|(changed, _)| changed)
    }

    /// Makes a planned edit; returns the changes, and the plan that takes them back.
    pub(super) fn follow_plan(
        &mut self,
        plan: &EditPlan,
    ) -> Result<(Changed, EditPlan), EditError> {
        self.world.cells().check_water(plan)?;
        let beds = self.world.prepare_beds(plan, true)?;
        let World { simulation, site, .. } = &mut *self.world;
        simulation.replace_beds(&beds.blocks, site);
        Ok(self.world.finish_beds(beds))
    }
}

/// Changes of beds that the terrain has, and the leaves have not yet.
pub(super) struct NewBeds {
    changed: Changed,
    /// The plan that takes them back.
    pub back: EditPlan,
    /// Leaves, and the changed block of each.
    pub blocks: Vec<(LeafId, CellBlock)>,
    ends: OtherEnds,
}

impl World {
    /// Makes a planned edit in the terrain: every step that may fail is here, before the leaves
    /// change. If roofs are guarded, the ground stays above the existing ceilings.
    pub(super) fn prepare_beds(
        &mut self,
        plan: &EditPlan,
        guards_roofs: bool,
    ) -> Result<NewBeds, EditError> {
        let Self { simulation, site, .. } = self;
        let back = site.with_base(|base| base.plan_back(plan))?;
        // The new beds are compared with the old ones, in memory or in a file.
        let touched = WorldCells { simulation, site }.leaves_on(&plan.changes());
        simulation.leaves().bring_grounds(&touched);
        let changed = site.edit(plan)?;
        let leaves = WorldCells { simulation, site }.leaves_on(&changed);
        let key = |&leaf: &LeafId| simulation.forest().leaves()[leaf];
        let keys: Vec<TileKey> = leaves.iter().map(key).collect();
        let ends = site.fetch(&keys).and_then(|()| {
            if guards_roofs {
                WorldCells { simulation, site }.check_roofs(&leaves)?;
            }
            site.follow_falls(&changed)
        });
        let ends = match ends {
            Ok(ends) => ends,
            Err(error) => {
                // Only the beds must go back: `follow_falls` changes falls and shores as a whole or
                // not at all.
                site.edit(&back)?;
                return Err(error);
            }
        };
        let blocks = leaves.into_iter().zip(keys).filter_map(|(leaf, key)| {
            let block = changed.block(key)?;
            Some((leaf, block))
        });
        let blocks = blocks.collect();
        Ok(NewBeds { changed, back, blocks, ends })
    }

    /// Passes the beds that the leaves have now on to the rest of the world; returns the changes,
    /// and the plan that takes them back.
    pub(super) fn finish_beds(&mut self, beds: NewBeds) -> (Changed, EditPlan) {
        let Self { simulation, site, edited, .. } = self;
        let NewBeds { changed, back, ends, .. } = beds;
        if !site.boundary_laws().falls_sought().is_none() {
            // A coarse face without finest ones gets the fall behind it, which no tile has.
            let is_near = |leaf: TileKey| {
                let has_others = ends.falls.iter().any(|&tile| is_beside(leaf, tile));
                ends.shores || has_others || reaches(&changed, leaf)
            };
            simulation.renew_falls(is_near, site);
        }
        let at = simulation.revision();
        for level in 0..=site.relief().coarsest() {
            edited.extend(changed.tiles(level).into_iter().map(|tile| (tile, at)));
        }
        (changed, back)
    }
}

/// Whether a finest tile is in a leaf or beside it.
fn is_beside(leaf: TileKey, tile: TileKey) -> bool {
    let over = tile.ancestor(leaf.level);
    over.x.abs_diff(leaf.x) <= 1 && over.y.abs_diff(leaf.y) <= 1
}

/// Whether falls towards the faces of a coarse leaf look at changed beds.
fn reaches(changed: &Changed, leaf: TileKey) -> bool {
    let width = TILE_WIDTH << leaf.level;
    let is_near = |cells: Range<usize>, at: u32| {
        let from = at as usize * width;
        from < cells.end + FALL_REACH && cells.start < from + width + FALL_REACH
    };
    // Leaves of level 0 need no test: falls at their faces are followed tile by tile.
    leaf.level > 0
        && !changed.is_empty()
        && is_near(changed.columns(), leaf.x)
        && is_near(changed.rows(), leaf.y)
}

impl WorldCells<'_> {
    /// Returns the plan of an edit.
    pub(super) fn plan(self, edit: &Edit) -> Result<EditPlan, EditError> {
        self.site.with_base(|base| base.plan(edit))
    }

    /// Returns the leaves whose ground a change of beds changes.
    pub(super) fn leaves_on(self, changed: &Changed) -> Vec<LeafId> {
        let mut leaves: Vec<LeafId> = Vec::new();
        let forest = self.simulation.forest();
        for level in forest.base()..=self.site.relief().coarsest() {
            let tiles = self.site.changed_tiles(changed, level);
            let found = tiles.into_iter().filter_map(|key| forest.find(key));
            leaves.extend(found);
        }
        leaves.sort_unstable();
        leaves
    }

    /// Checks that the intervals of these leaves are below the ground of the site.
    fn check_roofs(self, leaves: &[LeafId]) -> Result<(), EditError> {
        for &leaf in leaves {
            let Some(stack) = &self.simulation.leaves().own[leaf].stack else { continue };
            let ground = self.site.ground(self.simulation.forest().leaves()[leaf]);
            for own in &stack.intervals {
                let (cell, bed) = (usize::from(own.cell), ground.dry_stage(usize::from(own.cell)));
                if own.ceiling > bed {
                    let place = self.simulation.forest().place_of(leaf, cell);
                    let units = [own.ceiling, bed];
                    let [ceiling_m, bed_m] = units.map(|units| self.scale().metres(units));
                    return Err(EditError::Ceiling { place, ceiling_m, bed_m });
                }
            }
        }
        Ok(())
    }

    /// Checks that no water is lifted above the ceiling.
    fn check_water(self, plan: &EditPlan) -> Result<(), EditError> {
        let base = self.simulation.forest().base();
        let (forest, mut last) = (self.simulation.forest(), None);
        for (place, bed) in plan.cells() {
            let at = CellPlace { x: place.x >> base, y: place.y >> base };
            let Some((leaf, cell)) = forest.locate_near(&mut last, at) else { continue };
            if !self.simulation.ground(leaf).is_inside(cell) {
                continue;
            }
            let parts = self.simulation.ground(leaf).parts();
            let depth = self.simulation.water(leaf).depth[cell];
            let depth = parts.map_or(depth, |parts| parts.over_ground(cell, depth));
            if depth > CEILING - bed {
                let scale = self.scale();
                let stage_m = scale.metres(bed) + scale.depth_m(depth);
                let high_m = scale.metres(CEILING);
                return Err(EditError::Water { place, stage_m, high_m });
            }
        }
        Ok(())
    }
}
