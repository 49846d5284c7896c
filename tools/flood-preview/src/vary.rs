//! Drafts of a run with its roughness and its water varied: the effect of numbers that are
//! uncertain in every run.
//!
//! ```text
//! roughness − r    roughness + r    water − w    water + w        four runs in coarse cells
//! ```
//!
//! Roughness is Manning's n; water is rain and inflows. Each is varied alone, and their effects are
//! joined as those of independent errors are
//! ([`RunLevels::vary`](crate::outcome::RunLevels::vary)).
//!
//! Guarantees: drafts change nothing of the levels themselves.
//! Limits:     water at the start, edges kept at a stage, losses and the ground stay as given. If
//!             friction, rain and inflows do not affect a run, nothing is varied.

use std::fmt;
use std::str::FromStr;

use kit::spelling::meant;
use kit::words::short;
use scenario::plan::Plan;

use crate::percent::Percent;

/// Parts by which things are varied if none are given. Manning's n that several engineers chose
/// for one reach scattered by 25 to 35 % (Burnham and Davis 1986, Accuracy of Computed Water
/// Surface Profiles, HEC); design rain has confidence intervals of 10 to 30 % (NOAA Atlas 14).
pub const USUAL: &str = "roughness=30%,water=20%";

/// Parts by which a run is varied, 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Vary {
    /// Roughness; 0 if it is not varied.
    pub roughness: f64,
    /// Rain and inflows; 0 if they are not varied.
    pub water: f64,
}

/// A number that is varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    /// Manning's n.
    Roughness,
    /// Rain and inflows.
    Water,
}

/// A run beside a level.
#[derive(Debug)]
pub struct VariedDraft {
    /// Difference from the level.
    pub thing: Thing,
    /// The plan.
    pub plan: Plan,
}

impl Vary {
    /// Returns the parts by which a plan can be varied: no roughness of frictionless ground, no
    /// water if the plan adds none.
    #[must_use]
    pub fn of(self, plan: &Plan) -> Self {
        Self {
            roughness: if plan.is_rough() { self.roughness } else { 0.0 },
            water: if plan.is_fed() { self.water } else { 0.0 },
        }
    }

    /// True if nothing is to be varied.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self.roughness <= 0.0 && self.water <= 0.0
    }

    /// Returns the value of the option with the same meaning.
    #[must_use]
    pub fn typed(self) -> String {
        let parts = [("roughness", self.roughness), ("water", self.water)];
        let parts = parts.iter().filter(|(_, part)| *part > 0.0);
        parts.map(|(name, part)| format!("{name}={}", Percent(*part))).collect::<Vec<_>>().join(",")
    }

    /// Returns a note if nothing is to be varied.
    #[must_use]
    pub fn idle(self) -> String {
        let why = match (self.roughness > 0.0, self.water > 0.0) {
            (true, false) => "Manning's n is 0 everywhere",
            (false, _) => "there is neither rain nor an inflow",
            _ => "there is neither friction nor rain nor an inflow",
        };
        format!("--vary changes nothing: {why}")
    }

    /// Returns the drafts of a level, without moments for the report's slider.
    #[must_use]
    pub fn drafts(self, plan: &Plan) -> Vec<VariedDraft> {
        let ways = |part: f64| if part > 0.0 { vec![1.0 - part, 1.0 + part] } else { Vec::new() };
        let rougher = ways(self.roughness)
            .into_iter()
            .map(|factor| VariedDraft { thing: Thing::Roughness, plan: plan.rougher(factor) });
        let wetter = ways(self.water)
            .into_iter()
            .map(|factor| VariedDraft { thing: Thing::Water, plan: plan.wetter(factor) });
        let mut drafts: Vec<VariedDraft> = rougher.chain(wetter).collect();
        drafts.iter_mut().for_each(|draft| draft.plan.output.frames = 0);
        drafts
    }
}

/// Words for the reader: `roughness by ±30 %, rain and inflows by ±20 %`.
impl fmt::Display for Vary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("roughness", self.roughness), ("rain and inflows", self.water)];
        let parts = parts.iter().filter(|(_, part)| *part > 0.0);
        let words: Vec<String> =
            parts.map(|(name, part)| format!("{name} by ±{} %", short(100.0 * part))).collect();
        f.write_str(&words.join(", "))
    }
}

impl FromStr for Vary {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let mut vary = Self::default();
        for word in typed.split(',') {
            let Some((name, part)) = word.split_once('=') else {
                return Err(format!("`{word}` has no `=`: give it like {USUAL}"));
            };
            let Percent(part) = part.parse()?;
            if part > 0.9 {
                return Err(format!("`{word}` is above 90%: give it like {USUAL}"));
            }
            let slot = match name.trim() {
                "roughness" => &mut vary.roughness,
                "water" => &mut vary.water,
                other => {
                    let meant = meant(other, ["roughness", "water"]);
                    return Err(format!(
                        "`{other}` cannot be varied{meant}: vary roughness or water, like {USUAL}"
                    ));
                }
            };
            if *slot > 0.0 {
                return Err(format!("`{}` is there twice: give it once", name.trim()));
            }
            *slot = part;
        }
        Ok(vary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_typed() {
        for (typed, roughness, water) in [
            (USUAL, 0.3, 0.2),
            ("water=5%", 0.0, 0.05),
            ("water=12.5 %, roughness=40%", 0.4, 0.125),
        ] {
            assert_eq!(typed.parse(), Ok(Vary { roughness, water }), "{typed}");
            let vary = Vary { roughness, water };
            assert_eq!(vary.typed().parse(), Ok(vary), "{typed}");
        }
        for (typed, what) in [
            ("30%", "no `=`"),
            ("rain=20%", "`rain` cannot be varied"),
            ("rougness=20%", "did you mean roughness?"),
            ("water=20", "like 95%"),
            ("water=95%", "above 90%"),
            ("water=10%,water=20%", "twice"),
        ] {
            let error = typed.parse::<Vary>().expect_err(typed);
            assert!(error.contains(what), "{typed}: {error}");
        }
    }

    #[test]
    fn words_name_what_is_varied() {
        for (roughness, water, words) in [
            (0.3, 0.2, "roughness by ±30 %, rain and inflows by ±20 %"),
            (0.0, 0.125, "rain and inflows by ±12.5 %"),
        ] {
            assert_eq!(Vary { roughness, water }.to_string(), words);
        }
    }
}
