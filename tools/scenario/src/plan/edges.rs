//! Conditions at the world's boundary.

use std::collections::HashSet;

use kit::error::UserError;
use rasters::Grid;

use super::super::file;
use super::super::place::{Condition, MapSide};
use super::super::series::{Series, SeriesShape};
use super::map::{MapPlan, bounds, extent};
use crate::quantity::{Metres, ValueOrFile};

/// The condition of a side or of a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgePlan {
    /// Name in the ledger.
    pub name: String,
    /// The side.
    pub side: MapSide,
    /// Lower and upper coordinate along the side, in the map's coordinates; all of it if missing.
    pub range: Option<(f64, f64)>,
    /// Condition at the edge.
    pub kind: EdgeCondition,
}

/// Condition at an edge.
#[derive(Debug, Clone, PartialEq)]
pub enum EdgeCondition {
    /// Water and waves leave freely.
    Open,
    /// Nothing crosses.
    Wall,
    /// The stage outside over time, m; water flows both ways.
    Stage(Series),
}

impl EdgePlan {
    /// True if the stage outside the edge is given.
    #[must_use]
    pub fn is_stage(&self) -> bool {
        self.stage().is_some()
    }

    /// Returns the stage outside, m, if it is given.
    #[must_use]
    pub fn stage(&self) -> Option<&Series> {
        match &self.kind {
            EdgeCondition::Stage(series) => Some(series),
            EdgeCondition::Open | EdgeCondition::Wall => None,
        }
    }

    pub(super) fn stage_mut(&mut self) -> Option<&mut Series> {
        match &mut self.kind {
            EdgeCondition::Stage(series) => Some(series),
            EdgeCondition::Open | EdgeCondition::Wall => None,
        }
    }
}

/// Returns one edge for each side, open by default, and then the stretches. Holes are walls unless
/// the scenario names them: most of them are houses.
pub(super) fn resolve(
    edges: &file::EdgesTable,
    stretches: &[file::EdgeTable],
    map: &MapPlan,
) -> Result<Vec<EdgePlan>, UserError> {
    let mut found: Vec<EdgePlan> = Vec::new();
    for side in MapSide::ALL {
        let others = match side {
            MapSide::Holes => Some(Condition::Wall),
            _ => edges.all.clone(),
        };
        let condition = edges.clone().side(side).take().or(others);
        found.push(EdgePlan {
            name: format!("{side} edge"),
            side,
            range: None,
            kind: kind(&condition.unwrap_or(Condition::Open))?,
        });
    }
    let mut taken: HashSet<String> = found.iter().map(|edge| edge.name.clone()).collect();
    for (index, stretch) in stretches.iter().enumerate() {
        let numbered = || format!("edge {}", index + 1);
        let name = stretch.name.clone().unwrap_or_else(numbered);
        let what = format!("edge `{name}`");
        if !taken.insert(name.clone()) {
            return Err(UserError::new(
                format!("two edges are called `{name}`"),
                "give each a name of its own, the ledger lists them by name",
            ));
        }
        found.push(EdgePlan {
            side: stretch.side,
            range: check_range(&what, stretch.side, stretch.from, stretch.to, map)?,
            kind: kind(&stretch.condition)?,
            name,
        });
    }
    Ok(found)
}

fn kind(condition: &Condition) -> Result<EdgeCondition, UserError> {
    Ok(match condition {
        Condition::Open => EdgeCondition::Open,
        Condition::Wall => EdgeCondition::Wall,
        Condition::Stage(ValueOrFile::Value(Metres(stage))) => {
            EdgeCondition::Stage(Series::constant(*stage, SeriesShape::Lines))
        }
        Condition::Stage(ValueOrFile::File(path)) => {
            EdgeCondition::Stage(Series::read::<Metres>(path, "stage series", SeriesShape::Lines)?)
        }
    })
}

/// Returns the part of a side between `from` and `to`, which has to meet the map.
pub(super) fn check_range(
    what: &str,
    side: MapSide,
    from: Option<f64>,
    to: Option<f64>,
    map: &MapPlan,
) -> Result<Option<(f64, f64)>, UserError> {
    if from.is_none() && to.is_none() {
        return Ok(None);
    }
    let ends = |grid: &Grid| {
        let (west, east, south, north) = bounds(grid);
        match side {
            MapSide::West | MapSide::East => Some((south, north)),
            MapSide::South | MapSide::North => Some((west, east)),
            MapSide::NoData | MapSide::Holes => None,
        }
    };
    let Some((low, high)) = ends(&map.world) else {
        return Err(UserError::new(
            format!("{what} is a part of the boundary along NoData"),
            "`from` and `to` go with west, east, south or north",
        ));
    };
    let meets = |(low, high): (f64, f64)| {
        let (from, to) = (from.unwrap_or(low), to.unwrap_or(high));
        from < to && from < high && to > low
    };
    if meets((low, high)) {
        return Ok(Some((from.unwrap_or(low), to.unwrap_or(high))));
    }
    let (low, high) = ends(map.file().1).unwrap_or((low, high));
    let (start, end) = (from.unwrap_or(low), to.unwrap_or(high));
    let (place, mend) = map.outside(|grid| ends(grid).is_some_and(meets));
    Err(if from.zip(to).is_some_and(|(from, to)| from >= to) {
        UserError::new(
            format!("{what} reaches from {start} to {end} along the {side} side"),
            format!("give rising coordinates on the map, {}", extent(&map.world)),
        )
    } else {
        let what =
            format!("{what} reaches from {start} to {end} along the {side} side, outside {place}");
        UserError::new(what, format!("give rising coordinates; {mend}"))
    })
}
