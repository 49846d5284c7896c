//! Weather that changes while the world runs: new rates of a layer, and a new area.

use crate::world::actions::inflow::from_now;
use crate::world::actions::packed_amounts::POINT_BYTES;
use crate::world::weather_area::WeatherArea;
use crate::world::{ActionError, Structures, StructuresMut, World};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thalweg_engine::grid::LeafId;
use thalweg_engine::sim::forcing::CellClasses;
use thalweg_engine::structure::weather::WeatherLayer;
use thalweg_engine::structure::{Fault, StructureError, StructureKind};
use thalweg_engine::terrain::Shape;
use thalweg_engine::units::RateSeries;

/// A layer of rain, evaporation or infiltration from now on. The world must have been built with
/// that layer, even if without a rate: [`WorldBuilder::layer`](crate::world::WorldBuilder::layer).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Weather {
    /// Name of the layer, and of its account.
    pub layer: String,
    /// Area in which the layer has its rate, with no rate elsewhere; `None` is everywhere. A disc
    /// with a soft margin contains the cells that get half of it or more. For a storm that moves,
    /// repeat the action with each new area.
    pub area: Option<Shape>,
    /// Rates from now on: one, or as many as the layer has classes of cells.
    pub rates: Vec<Rate>,
}

/// A rate over an area, m/s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rate {
    /// A constant rate for ever.
    Constant(f64),
    /// Seconds from now and m/s: each value until the next point, the last of which ends it. A
    /// single point begins a rate for ever.
    Series(Vec<(f64, f64)>),
}

/// Rates and area of a layer: the state that a change leads to.
#[derive(Debug, Clone)]
pub(super) struct WeatherRecord {
    layer: usize,
    /// Seconds from the beginning and m/s, by class.
    rates: Vec<Vec<(f64, f64)>>,
    /// The area, and its cells.
    area: Option<(Shape, Arc<WeatherArea>)>,
}

impl WeatherRecord {
    /// Returns the bytes that the record takes as a way back.
    pub(super) fn bytes(&self) -> usize {
        let rates = self.rates.iter().map(|points| POINT_BYTES * (points.len() + 1));
        rates.sum::<usize>() + self.area.as_ref().map_or(0, |(_, cells)| cells.bytes())
    }
}

impl Structures<'_> {
    /// Checks the weather of a request, and returns it as a file states it.
    pub(super) fn to_change_weather(self, weather: &Weather) -> Result<WeatherRecord, ActionError> {
        let Weather { layer: name, area, rates } = weather;
        let World { setup, site, .. } = self.world;
        let error = |fault| ActionError::from(StructureKind::Weather.error(name, fault));
        let mut found = setup.layers.iter().enumerate().filter(|(_, layer)| layer.name == *name);
        let (layer, own) = found.next().ok_or_else(|| {
            let known = setup.layers.iter().map(|layer| layer.name.clone()).collect();
            error(Fault::Unknown { known })
        })?;
        if found.next().is_some() {
            return Err(error(Fault::Name));
        }
        if rates.len() != own.rates.len() {
            let (found, classes) = (rates.len(), own.rates.len());
            return Err(error(Fault::Rates { found, classes }));
        }
        let now_s = self.world.time().seconds();
        let points = |rate: &Rate| match rate {
            Rate::Constant(rate) => Ok(vec![(0.0, *rate)]),
            Rate::Series(points) => from_now("a time of the rate, s from now,", points, now_s),
        };
        let rates = rates.iter().map(points).collect::<Result<Vec<_>, _>>()?;
        let asked = WeatherLayer { rates, ..own.clone() };
        asked.series(self.world.scale().units_per_m())?;
        let rates = asked.rates;
        let Some(area) = area else { return Ok(WeatherRecord { layer, rates, area: None }) };
        if own.has_classes {
            return Err(error(Fault::Classed));
        }
        let others = setup.areas.iter().filter(|(other, _)| **other != layer);
        site.check_areas(others.map(|(_, area)| area).chain([area]))?;
        let cells = Arc::new(site.area(area)?);
        Ok(WeatherRecord { layer, rates, area: Some((area.clone(), cells)) })
    }
}

impl StructuresMut<'_> {
    /// Changes a layer to the state of a record; returns the earlier state.
    pub(super) fn set_weather(
        &mut self,
        record: WeatherRecord,
    ) -> Result<WeatherRecord, StructureError> {
        let World { simulation, setup, site, .. } = &mut *self.world;
        let WeatherRecord { layer, rates, area } = record;
        let (area, cells) = area.unzip();
        let shape = match area {
            Some(area) => setup.areas.insert(layer, area),
            None => setup.areas.remove(&layer),
        };
        let before = WeatherRecord {
            layer,
            rates: std::mem::replace(&mut setup.layers[layer].rates, rates),
            area: shape.zip(site.set_area(layer, cells.clone())),
        };
        let leaves_of = |area: Option<&WeatherArea>| {
            area.map_or(Vec::new(), |area| area.leaves(simulation.forest()))
        };
        let old = leaves_of(before.area.as_ref().map(|(_, cells)| &**cells));
        let own = leaves_of(cells.as_deref());
        let none = old.into_iter().filter(|leaf| own.binary_search(leaf).is_err());
        let none = none.map(|leaf| (leaf, None));
        let of_leaf = |&leaf: &LeafId| {
            let key = simulation.forest().leaves()[leaf];
            (leaf, site.area_classes(layer, key, || simulation.ground(leaf)))
        };
        let classes: Vec<_> = none.chain(own.iter().map(of_leaf)).collect();
        let rates = setup.rates(layer, site.scale().units_per_m())?;
        let of_classes = classes.iter().filter_map(|(_, classes)| classes.as_ref());
        let bytes = size_of_val(&classes[..])
            + of_classes.map(CellClasses::bytes).sum::<usize>()
            + rates.iter().map(RateSeries::bytes).sum::<usize>();
        simulation.edit_repeatably(bytes, (rates, classes), move |edit, (rates, classes)| {
            edit.set_layer(layer, rates, classes);
        });
        Ok(before)
    }
}
