//! The barriers of a world, as its file describes them.

use std::fmt;

use kit::words::time;
use serde::Serialize;
use thalweg::units::plain::plain;
use thalweg::world::{Barrier, Opening, Trigger};

use crate::import::short;

/// A barrier.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedBarrier {
    /// Name of the barrier.
    pub name: String,
    /// Length of its line, m.
    pub length_m: f64,
    /// Lowest elevation of its crest, m.
    pub crest_low_m: f64,
    /// Highest elevation of its crest, m.
    pub crest_high_m: f64,
    /// Way in which its gap opens, in words.
    pub gap: Option<String>,
    /// Breach of the barrier.
    pub breach: Option<ListedBreach>,
}

/// A breach.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedBreach {
    /// Trigger of the breach, in words.
    pub trigger: String,
    /// Width of the breach when it has grown, m.
    pub width_m: f64,
    /// Elevation of its bottom when it has grown, m.
    pub bottom_m: f64,
    /// Time at which it began, s.
    pub begun_s: Option<f64>,
}

impl ListedBarrier {
    /// Returns the entry of a barrier; `begun_s` is the time at which its breach began, if it has.
    #[must_use]
    pub fn of(barrier: &Barrier, begun_s: Option<f64>) -> Self {
        let length = |ends: &[[f64; 2]]| (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]);
        let crests = || barrier.crest_m.iter().copied();
        let last = |points: &[(f64, f64)]| points.last().map_or(0.0, |(_, value)| *value);
        Self {
            name: barrier.name.clone(),
            length_m: barrier.path_m.windows(2).map(length).sum(),
            crest_low_m: crests().fold(f64::INFINITY, f64::min),
            crest_high_m: crests().fold(f64::NEG_INFINITY, f64::max),
            gap: barrier.gap.as_ref().map(|gap| opening(&gap.opening)),
            breach: barrier.breach.as_ref().map(|breach| ListedBreach {
                trigger: match breach.trigger {
                    Trigger::Time(at_s) => format!("at {}", time(at_s)),
                    Trigger::Stage { stage_m, .. } => format!("at a stage of {} m", short(stage_m)),
                },
                width_m: last(&breach.width_m),
                bottom_m: last(&breach.bottom_m),
                begun_s,
            }),
        }
    }
}

/// Returns the way in which a gap opens, in words.
fn opening(opening: &Opening) -> String {
    let widest =
        |points: &[(f64, f64)]| short(points.iter().map(|(_, open)| *open).fold(0.0, f64::max));
    match opening {
        Opening::Fixed(open) => format!("{} m open", short(*open)),
        Opening::Series(points) => format!("up to {} m open, over time", widest(points)),
        Opening::Rule { points, .. } => format!("up to {} m open, by rule", widest(points)),
    }
}

impl fmt::Display for ListedBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, length_m, crest_low_m: low, crest_high_m: high, .. } = self;
        write!(
            f,
            "{}: {} m long, crest at {}",
            plain(name),
            short((length_m * 10.0).round() / 10.0),
            short(*low)
        )?;
        if low < high {
            write!(f, " to {}", short(*high))?;
        }
        write!(f, " m")?;
        if let Some(gap) = &self.gap {
            write!(f, ", a gap {gap}")?;
        }
        if let Some(ListedBreach { trigger, width_m, bottom_m, begun_s }) = &self.breach {
            let (width, bottom) = (short(*width_m), short(*bottom_m));
            write!(f, ", a breach {width} m wide down to {bottom} m {trigger}")?;
            if let Some(begun_s) = begun_s {
                write!(f, ", begun at {}", time(*begun_s))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::world::{Breach, Gap};

    #[test]
    fn a_barrier_is_said_in_a_line() {
        let wall = Barrier::wall("levee", vec![[0.0, 0.0], [30.0, 40.0], [30.0, 100.0]], 9.5);
        let check = |barrier: &Barrier, begun_s, expected: &str| {
            assert_eq!(ListedBarrier::of(barrier, begun_s).to_string(), expected);
        };
        check(&wall, None, "levee: 110 m long, crest at 9.5 m");
        let points = vec![(8.0, 0.0), (9.0, 1.25)];
        let gap = Some(Gap { sill_m: None, opening: Opening::Rule { at_m: [0.0; 2], points } });
        let gate = Barrier { gap, crest_m: vec![9.0, 9.5, 9.25], ..wall.clone() };
        let expected = "levee: 110 m long, crest at 9 to 9.5 m, a gap up to 1.25 m open, by rule";
        check(&gate, None, expected);
        let breach = Breach {
            along_m: 50.0,
            trigger: Trigger::Time(3600.0),
            width_m: vec![(0.0, 0.0), (60.0, 20.0)],
            bottom_m: vec![(0.0, 9.5), (60.0, 6.0)],
        };
        let expected = "levee: 110 m long, crest at 9.5 m, a breach 20 m wide down to 6 m at 1 h, \
                        begun at 1 h";
        check(&Barrier { breach: Some(breach), ..wall }, Some(3600.0), expected);
    }
}
