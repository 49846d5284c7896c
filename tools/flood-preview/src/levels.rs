//! The levels of a run: the whole event on coarse sub-grid columns first, and again on finer ones,
//! down to the requested cells.
//!
//! ```text
//! cells a column, of those asked for    time, of the last level's
//!          8 × 8                              0.8 %                  a first look
//!          4 × 4                              4 %                    a better one
//!              1                                                     what was asked for
//! ```
//!
//! Times are those of the steps alone, measured at Boscastle in cells of 10 m. Columns of 16 × 16
//! take 0.2 % and lose the valleys (index of ground deeper than 0.3 m: 0.36 there, 0.21 on
//! mountains in cells of 30 m); 2 × 2 ones take 25 %: as each level repeats the event, the second
//! finest costs most. Each level also reads the map and writes all results, which counts in short
//! events on large maps.
//!
//! Guarantees: the last level has the same results, bit for bit, as a run of it alone
//!             (`levels_change_no_bit_of_the_last`).
//! Limits:     a scenario with tunnels, bridges or similar rock, which sub-grid columns cannot
//!             represent, has one level.

use scenario::plan::Plan;
use thalweg::terrain::Terrain;

/// Doublings of the requested cell width, for the levels before the last.
const DOUBLINGS: [u8; 2] = [3, 2];

/// Least number of columns or rows of the coarsest level: fewer represent no valley.
const SIDE_LEAST: usize = 8;

/// Least number of cells for which levels are worthwhile: a run of fewer is over at once.
const CELLS_LEAST: usize = 20_000;

/// Levels that are run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WantedLevels {
    /// All of them, or until this part of the flooded ground is the same in two of them, 0 to 1.
    All(Option<f64>),
    /// The first alone.
    First,
    /// The last alone.
    Last,
}

impl WantedLevels {
    /// True if a level is enough, given the flooded part that it shares with the level before.
    #[must_use]
    pub fn is_enough(self, shared: Option<f64>) -> bool {
        match self {
            Self::First => true,
            Self::All(Some(until)) => shared.is_some_and(|shared| shared >= until),
            Self::All(None) | Self::Last => false,
        }
    }

    /// True if a level may be the last even if finer ones could follow.
    #[must_use]
    pub fn may_end(self, is_first: bool) -> bool {
        match self {
            Self::First => true,
            Self::All(Some(_)) => !is_first,
            Self::All(None) | Self::Last => false,
        }
    }

    /// Returns the plan of the last level of a run.
    ///
    /// # Panics
    ///
    /// If the run has no level.
    #[must_use]
    pub fn shown(self, plans: &[Plan]) -> &Plan {
        let plan = if self == Self::First { plans.first() } else { plans.last() };
        plan.expect("a run has a level")
    }
}

/// Returns the plan of each level, the coarsest first. For [`WantedLevels::First`] the first level
/// that can be built is run.
#[must_use]
pub fn plans(plan: &Plan, wanted: WantedLevels) -> Vec<Plan> {
    let coarser = DOUBLINGS.into_iter().filter(|doublings| has_level(plan, *doublings));
    let mut levels: Vec<Plan> = match wanted {
        WantedLevels::Last => Vec::new(),
        WantedLevels::All(None) => {
            coarser.map(|doublings| still(coarse(plan, doublings))).collect()
        }
        // Any level may be the last: each has its moments for the report.
        WantedLevels::All(Some(_)) | WantedLevels::First => {
            coarser.map(|doublings| coarse(plan, doublings)).collect()
        }
    };
    levels.push(plan.clone());
    levels
}

/// Returns a note if a first level was requested but the run has no coarse ones.
#[must_use]
pub fn idle(plans: &[Plan], wanted: WantedLevels) -> Option<String> {
    let [only] = plans else { return None };
    let why = if only.rocks.is_empty() {
        format!("there are no coarser levels of a map of {} cells", only.map.simulated_cells())
    } else {
        "tunnels, bridges, meshes and voxels need the map's own cells".to_owned()
    };
    (wanted == WantedLevels::First).then(|| format!("--now changes nothing: {why}"))
}

/// True if a level of coarser cells can be run, and is worth it.
fn has_level(plan: &Plan, doublings: u8) -> bool {
    let (width, height) = plan.map.size();
    let level = plan.map.level + doublings;
    plan.rocks.is_empty()
        && plan.map.simulated_cells() >= CELLS_LEAST
        && level < Terrain::LEVELS
        && width.min(height) >> level >= SIDE_LEAST
}

fn coarse(plan: &Plan, doublings: u8) -> Plan {
    let mut coarse = plan.clone();
    coarse.is_adaptive = false;
    coarse.map.level += doublings;
    // The report states the cells of each level.
    coarse.notes.retain(|note| plan.map.cells_note.as_ref() != Some(note));
    coarse
}

/// Returns a plan without the moments of the report's slider: a level that another follows is not
/// watched.
fn still(mut plan: Plan) -> Plan {
    plan.output.frames = 0;
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_enough_if_they_share_what_was_asked() {
        let wanted = WantedLevels::All(Some(0.9));
        assert!(wanted.is_enough(Some(0.9)) && wanted.is_enough(Some(1.0)));
        assert!(!wanted.is_enough(Some(0.89)) && !wanted.is_enough(None));
        assert!(
            !WantedLevels::All(None).is_enough(Some(1.0))
                && !WantedLevels::Last.is_enough(Some(1.0))
        );
        assert!(WantedLevels::First.is_enough(None));
    }
}
