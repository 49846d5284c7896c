//! Weather that changes while the world runs: other rates of a layer, and another area of it.

use crate::grid::LeafId;
use crate::sim::Simulation;
use crate::sim::forcing::CellClasses;
use crate::structure::{Fault, StructureError, StructureKind};
use crate::terrain::Shape;
use crate::units::rate::SERIES_SECONDS_MOST;
use crate::world::classes::ClassMap;
use crate::world::setup::check_corners;
use crate::world::site::Site;
use crate::world::{ActionError, Structures, StructuresMut, World};
use std::sync::Arc;

/// A layer of rain, evaporation or infiltration from now on. The world was built with that layer,
/// be it with no rate: [`WorldBuilder::layer`](crate::world::WorldBuilder::layer).
#[derive(Debug, Clone, PartialEq)]
pub struct Weather {
    /// Name of the layer, and of its account.
    pub layer: String,
    /// Where it has its rate, and none elsewhere; `None` is everywhere. Of a disc with a soft
    /// margin the cells that get half of it or more. A storm that moves is the same action again.
    pub area: Option<Shape>,
    /// Rates from now on: one, or as many as the layer has classes of cells.
    pub rates: Vec<Rate>,
}

/// A rate over an area, m/s.
#[derive(Debug, Clone, PartialEq)]
pub enum Rate {
    /// For ever.
    Constant(f64),
    /// Seconds from now and m/s: each value until the next point, the last of which ends it.
    Series(Vec<(f64, f64)>),
}

/// Rates and area of a layer: a state to come to.
#[derive(Debug, Clone)]
pub(super) struct WeatherRecord {
    layer: usize,
    /// Seconds from the beginning and m/s, by class.
    rates: Vec<Vec<(f64, f64)>>,
    /// The area, and the classes that it gives the cells.
    area: Option<(Shape, Arc<ClassMap>)>,
}

impl Rate {
    /// Points in time from the beginning.
    fn points(&self, now_s: f64) -> Result<Vec<(f64, f64)>, ActionError> {
        let points = match self {
            Self::Constant(rate) => return Ok(vec![(0.0, *rate)]),
            Self::Series(points) => points,
        };
        let high = SERIES_SECONDS_MOST - now_s;
        let is_past = |(seconds, _): &&(f64, f64)| !(0.0..=high).contains(seconds);
        if let Some(&(value, _)) = points.iter().find(is_past) {
            let what = "a time of the rate, s from now,";
            return Err(ActionError::Number { what, value, low: 0.0, high });
        }
        Ok(points.iter().map(|&(seconds, rate)| (now_s + seconds, rate)).collect())
    }
}

impl Structures<'_> {
    /// Checks weather that is asked for, and says it as a file does.
    pub(super) fn to_change_weather(self, weather: &Weather) -> Result<WeatherRecord, ActionError> {
        let Weather { layer: name, area, rates } = weather;
        let setup = &self.world.setup;
        let error = |fault| ActionError::from(StructureKind::Weather.error(name, fault));
        let found = setup.layers.iter().position(|layer| layer.name == *name);
        let layer = found.ok_or_else(|| {
            let known = setup.layers.iter().map(|layer| layer.name.clone()).collect();
            error(Fault::Unknown { known })
        })?;
        let classes = setup.layers[layer].rates.len();
        if rates.len() != classes {
            let found = rates.len();
            return Err(error(Fault::Rates { found, classes }));
        }
        let now_s = self.world.time().seconds();
        let rates = rates.iter().map(|rate| rate.points(now_s)).collect::<Result<Vec<_>, _>>()?;
        let mut asked = setup.layers[layer].clone();
        asked.rates.clone_from(&rates);
        asked.series(self.world.scale().units_per_m())?;
        let Some(area) = area else { return Ok(WeatherRecord { layer, rates, area: None }) };
        if setup.layers[layer].has_classes {
            return Err(error(Fault::Classed));
        }
        check_corners(area)?;
        let map = self.world.site.area_classes(area)?;
        Ok(WeatherRecord { layer, rates, area: Some((area.clone(), Arc::new(map))) })
    }
}

impl StructuresMut<'_> {
    /// Brings a layer to what a record says; returns what it was.
    pub(super) fn set_weather(
        &mut self,
        record: WeatherRecord,
    ) -> Result<WeatherRecord, StructureError> {
        let World { simulation, setup, site, .. } = &mut *self.world;
        let WeatherRecord { layer, rates, area } = record;
        let before = WeatherRecord {
            layer,
            rates: std::mem::replace(&mut setup.layers[layer].rates, rates),
            area: setup.areas.remove(&layer).zip(site.area_of(layer)),
        };
        let mut classes = Vec::new();
        if !setup.layers[layer].has_classes {
            let map = area.map(|(area, map)| {
                setup.areas.insert(layer, area);
                map
            });
            site.set_area(layer, map);
            classes = leaf_classes(simulation, site, layer);
        }
        let rates = setup.rates(layer, site.scale().units_per_m())?;
        simulation.edit().set_layer(layer, rates, classes);
        Ok(before)
    }
}

/// Classes of all leaves under a layer without classes, or with an area.
fn leaf_classes(
    simulation: &Simulation,
    site: &Site,
    layer: usize,
) -> Vec<(LeafId, Option<CellClasses>)> {
    let forest = simulation.forest();
    let Some(map) = site.area_of(layer) else {
        return forest.ids().map(|leaf| (leaf, None)).collect();
    };
    let outside = || Some(CellClasses::One(0));
    let mut all: Vec<_> = forest.ids().map(|leaf| (leaf, outside())).collect();
    let mut last = LeafId::NONE;
    for (&tile, classes) in &map.0 {
        let Some(leaf) = forest.covering(tile) else { continue };
        let key = forest.leaves()[leaf];
        if key == tile {
            all[leaf.index()].1 = Some(classes.clone());
        } else if leaf != last {
            all[leaf.index()].1 = site.layer_classes(layer, key, simulation.ground(leaf));
        }
        last = leaf;
    }
    all
}
