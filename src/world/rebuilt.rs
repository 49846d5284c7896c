//! Parts of a world that follow from its state, made again and compared with the stored ones.
//!
//! ```text
//! state hash covers   beds, classes, water, ledgers, laws, structures, settings, link numbers
//! all else            made again here: coarser beds, coverage, falls, tables, faces to the
//!                     outside, inflows and links in the leaves, what `Simulation` keeps
//! ```
//!
//! The rule: every part that the state hash does not cover is a pure function of the parts that it
//! covers, of the finest beds and of the setup. So two worlds with the same hash continue in the
//! same way, whichever actions were done and undone before.
//!
//! Guarantees: the comparison changes nothing; each difference is one sentence.
//! Limits:     flood maps, watches, pages in memory and ways back are no part of the rule.

use crate::world::World;
use crate::world::build::{inflows, layer_classes};
use crate::world::coverage::CoverageMap;
use crate::world::fed::Fed;
use crate::world::relief::{Looked, WorldRelief, beds_kind};
use crate::world::setup::ColumnKind;
use crate::world::site::WorldSite;
use crate::world::structures::barriers;
use crate::world::tracers::whole;
use rayon::prelude::*;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::cells::WorldCell;
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::boundary::BoundaryFace;
use thalweg_engine::sim::rebuilt::compare;
use thalweg_engine::structure::Link;
use thalweg_engine::terrain::Terrain;
use thalweg_engine::tile::Ground;
use thalweg_engine::tile::columns::Columns;
use thalweg_engine::tile::columns::build::{FinestBeds, TableBeds};

/// Beds of a site on two levels, read afresh.
struct SiteBeds<'a> {
    coarse: Looked<'a>,
    finest: &'a (dyn FinestBeds + Sync),
}

impl FinestBeds for SiteBeds<'_> {
    fn add_finest(&self, place: WorldCell, width: i64, beds: &mut Vec<i32>) {
        self.finest.add_finest(place, width, beds);
    }
}

impl TableBeds for SiteBeds<'_> {
    fn coarse(&self, place: WorldCell) -> i32 {
        self.coarse.at(place)
    }
}

impl WorldSite {
    /// Returns the tables of a tile, made from the beds and not read from the stored tables.
    fn tables_again(&self, key: TileKey) -> Option<Columns> {
        let has_tables = self.columns() == ColumnKind::SubGrid && key.level > 0;
        has_tables.then(|| {
            let coarse = Looked::new(self.relief(), key.level, beds_kind(self.columns()));
            Columns::of(key, &SiteBeds { coarse, finest: self.finest_beds() })
        })
    }

    /// Compares coarser beds, coverage, falls and tables with the ones from the finest beds.
    fn compare_site(&self, found: &mut Vec<String>) {
        let is_consistent = self.terrain().is_none_or(Terrain::is_consistent);
        compare("coarser beds", &is_consistent, &true, found);
        let (base, columns) = (self.base(), self.columns());
        let covers = match self.relief() {
            WorldRelief::InMemory(terrain) => CoverageMap::of_terrain(terrain, base, columns),
            WorldRelief::InFile(pager) => CoverageMap::of_pages(pager, base, columns),
        };
        compare("coverage of tiles", self.covers(), &covers, found);
        compare("holes of NoData", &self.holes, &self.holes_again(), found);
        let falls = self.falls_again();
        compare("falls of the ground at edges", &self.falls, &falls, found);
        compare("seas beyond edges", &Some(&self.shores), &self.shores_again().as_ref(), found);
        for (key, kept) in self.kept_tables() {
            let made = self.tables_again(key);
            compare(format_args!("tables of {key:?}"), &Some(&**kept), &made.as_ref(), found);
        }
    }

    /// Compares the ground of a leaf, its tables, and its faces to the outside.
    fn compare_leaf(&self, simulation: &Simulation, leaf: LeafId, key: TileKey) -> Vec<String> {
        let (mut found, ground) = (Vec::new(), simulation.ground(leaf));
        let Ground { bed, roughness, columns } = ground;
        compare(format_args!("beds of {key:?}"), bed, &self.beds(key), &mut found);
        let classes = self.roughness_of(key, ground);
        compare(format_args!("roughness of {key:?}"), roughness, &classes, &mut found);
        let (kept, made) = (columns.as_deref(), self.tables_again(key));
        compare(format_args!("tables of the leaf {key:?}"), &kept, &made.as_ref(), &mut found);
        let mut ledger = simulation.ledger().clone();
        let made = self.boundary_faces(key, ground, &mut ledger);
        let fixed = |face: &BoundaryFace| {
            let BoundaryFace { cell, side, law, table, account, .. } = *face;
            let BoundaryFace { slope, rise, sea, share, .. } = *face;
            ((cell, side, law, table, account), slope.to_bits(), rise, sea, share.to_bits())
        };
        let kept = &simulation.leaves().own[leaf].boundary;
        let [kept, made] = [kept, &made].map(|faces| faces.iter().map(fixed).collect::<Vec<_>>());
        compare(format_args!("faces of {key:?} to the outside"), &kept, &made, &mut found);
        found
    }
}

impl World {
    /// Describes each difference between the parts that the world keeps beside its state and the
    /// same parts made again. Empty if all is well.
    #[must_use]
    pub(crate) fn stale(&self) -> Vec<String> {
        let mut found = self.simulation.stale();
        self.site.compare_site(&mut found);
        let leaves = self.simulation.leaves();
        let keys = leaves.forest.leaves();
        let (simulation, site) = (&self.simulation, &self.site);
        let of_leaf = |leaf: LeafId| site.compare_leaf(simulation, leaf, keys[leaf.index()]);
        let of_leaves: Vec<Vec<String>> = leaves.forest.par_ids().map(of_leaf).collect();
        found.extend(of_leaves.into_iter().flatten());
        let classes = layer_classes(&self.site, self.setup.layers.len(), keys, &leaves.grounds);
        compare("classes of weather", &leaves.classes, &classes, &mut found);
        let has = |leaf: &LeafId| {
            leaves.own[*leaf].stack.as_ref().is_some_and(|stack| !stack.intervals.is_empty())
        };
        let stacked = leaves.forest.ids().filter(has).map(|leaf| keys[leaf.index()]);
        compare("tiles pinned by intervals", &self.site.pins(stacked), &true, &mut found);
        self.compare_forcing(&mut found);
        self.compare_structures(&mut found);
        found
    }

    /// Compares rates, inflows, laws and tracers of sources with the setup.
    fn compare_forcing(&self, found: &mut Vec<String>) {
        let (simulation, setup, site) = (&self.simulation, &self.setup, &self.site);
        let state = simulation.state();
        let leaves = simulation.leaves();
        for (index, layer) in state.forcing.layers.iter().enumerate() {
            let rates = setup.rates(index, site.scale().units_per_m());
            compare(
                format_args!("rates of {index}"),
                &Some(&layer.rates),
                &rates.as_ref().ok(),
                found,
            );
        }
        let mut ledger = simulation.ledger().clone();
        let placed = (&leaves.forest, &leaves.grounds[..]);
        let made = inflows(site, &setup.inflows, placed, &mut |name| ledger.open(name));
        compare("cells of inflows at edges", &site.fed, &Fed::of(&setup.inflows), found);
        compare("inflows", &Some(&state.forcing.inflows), &made.as_ref().ok(), found);
        compare("laws of edges", simulation.laws(), &site.boundary_laws().laws, found);
        let accounts = simulation.ledger().accounts();
        for tracer in simulation.tracers().all() {
            let kept: Vec<i64> = (0..).zip(accounts).map(|(at, _)| tracer.brings(at)).collect();
            let brings = |name: &str| {
                let own = setup.tracer_sources.iter().rev();
                let mut own = own.filter(|(of, source, _)| of == tracer.name() && source == name);
                own.next().and_then(|(.., value)| whole(*value)).unwrap_or(0)
            };
            let made: Vec<i64> = accounts.iter().map(|account| brings(&account.name)).collect();
            compare(format_args!("sources of {:?}", tracer.name()), &kept, &made, found);
        }
    }

    /// Compares barriers and links with the setup.
    fn compare_structures(&self, found: &mut Vec<String>) {
        let (simulation, setup, site) = (&self.simulation, &self.setup, &self.site);
        let leaves = simulation.leaves();
        let placed = (&leaves.forest, &leaves.grounds[..]);
        let laws = barriers(site, setup, self.size(), placed);
        let kept: Vec<_> =
            simulation.barriers().all().iter().map(|own| own.barrier.clone()).collect();
        compare("laws of barriers", &Some(&kept), &laws.as_ref().ok(), found);
        let number = |(number, link): (u32, &Option<Link>)| link.is_some().then_some(number);
        let made: Vec<u32> = (0..).zip(&setup.links).filter_map(number).collect();
        let kept: Vec<u32> = simulation.links().all().iter().map(|link| link.number).collect();
        compare("numbers of links", &kept, &made, found);
        for link in simulation.links().all() {
            let asked = setup.links.get(link.number as usize).and_then(Option::as_ref);
            let made = asked.and_then(|asked| self.structures().link_again(link.number, asked));
            let made = made.map(|made| (made.law, made.from.place, made.to.map(|to| to.place)));
            let to: Option<CellPlace> = link.to.map(|to| to.place);
            let kept = Some((link.law.clone(), link.from.place, to));
            compare(format_args!("law of link {}", link.number), &kept, &made, found);
        }
    }
}
