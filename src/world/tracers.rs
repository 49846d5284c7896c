//! Tracers of a world: adding them.

use crate::world::classes::CellClass;
use crate::world::setup::Setup;
use crate::world::site::WorldSite;
use crate::world::{WorldBuilder, WorldError};
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TILE_CELLS};
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::sim::tracers::{Tracer, Tracers};
use thalweg_engine::state::StackState;
use thalweg_engine::tile::{Ground, Resident, Water};

impl WorldBuilder {
    /// Adds a tracer, a substance in the water: dissolved, or too fine to sink. Its initial
    /// concentration, from 0 to 1, is by cell; it has no effect in dry cells.
    #[must_use]
    pub fn tracer(
        mut self,
        name: &str,
        concentration: impl Fn(CellPlace) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.setup.tracers.push(name.to_owned());
        self.concentrations.push(Box::new(concentration));
        self
    }

    /// Sets the concentration of a tracer, from 0 to 1, in the water of a source: rain, an inflow
    /// or an edge, by its name in the ledger. The water of a source without a concentration has no
    /// tracer.
    #[must_use]
    pub fn tracer_source(mut self, tracer: &str, source: &str, concentration: f64) -> Self {
        let source = (tracer.to_owned(), source.to_owned(), concentration);
        self.setup.tracer_sources.push(source);
        self
    }
}

/// Checks all requested tracers, fills their planes and returns them.
pub(super) fn lay(
    setup: &Setup,
    concentrations: &[CellClass<f64>],
    (site, forest, grounds): (&WorldSite, &Forest, &[Resident<Ground>]),
    water: &mut [Resident<Water>],
    ledger: &Ledger,
) -> Result<Tracers, WorldError> {
    let mut tracers: Vec<Tracer> = Vec::with_capacity(setup.tracers.len());
    for (name, concentration) in setup.tracers.iter().zip(concentrations) {
        if tracers.iter().any(|tracer| tracer.name() == name) {
            return Err(WorldError::TracerTwice { name: name.clone() });
        }
        tracers.push(Tracer::new(name, ledger));
        for (leaf, water) in water.iter_mut().enumerate() {
            let mut plane = vec![0; TILE_CELLS];
            for cell in (0..TILE_CELLS).filter(|&cell| grounds[leaf].is_inside(cell)) {
                let place = site.place(&grounds[leaf], forest.leaves()[leaf], cell);
                let value = concentration(place);
                let whole = whole(value).ok_or_else(|| WorldError::Concentration {
                    tracer: name.clone(),
                    place: format!("cell {}, {}", place.x, place.y),
                    value,
                })?;
                plane[cell] = whole * i64::from(water.depth[cell]);
            }
            water.contents.push(plane.into());
        }
    }
    for (tracer, source, value) in &setup.tracer_sources {
        let names = |names: Vec<&str>| names.join(", ");
        let known = names(tracers.iter().map(Tracer::name).collect());
        let index = tracers.iter().position(|own| own.name() == tracer);
        let index = index.ok_or_else(|| WorldError::Unknown {
            what: "tracer",
            name: tracer.clone(),
            known,
        })?;
        let accounts = ledger.accounts();
        let known = names(accounts.iter().map(|account| &*account.name).collect());
        let account = (0..).zip(accounts).find(|(_, account)| account.name == *source);
        let (account, _) = account.ok_or_else(|| WorldError::Unknown {
            what: "source",
            name: source.clone(),
            known,
        })?;
        let whole = whole(*value).ok_or_else(|| WorldError::Concentration {
            tracer: tracer.clone(),
            place: source.clone(),
            value: *value,
        })?;
        tracers[index].bring(account, whole);
    }
    Ok(Tracers::new(tracers))
}

/// Gives the first water of intervals the concentrations of their cells, which are checked.
pub(super) fn colour_below(
    stacks: &mut [(LeafId, StackState)],
    concentrations: &[CellClass<f64>],
    (site, forest, grounds): (&WorldSite, &Forest, &[Resident<Ground>]),
) {
    for (leaf, stack) in stacks {
        let StackState { intervals, contents, .. } = stack;
        let all =
            concentrations.iter().flat_map(|tracer| intervals.iter().map(move |at| (tracer, at)));
        for (content, (concentration, own)) in contents.iter_mut().zip(all) {
            let (ground, key) = (&grounds[*leaf], forest.leaves()[*leaf]);
            let place = site.place(ground, key, usize::from(own.cell));
            *content = whole(concentration(place)).unwrap_or(0) * i64::from(own.depth);
        }
    }
}

/// Converts a concentration to units of 2⁻²⁴, to the nearest; `None` if it is not from 0 to 1.
pub(super) fn whole(concentration: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "bounded here")]
    #[expect(clippy::cast_precision_loss, reason = "2²⁴ is exact")]
    let nearest = |c: f64| (c * ONE as f64 + 0.5).floor() as i64;
    (0.0..=1.0).contains(&concentration).then(|| nearest(concentration))
}
