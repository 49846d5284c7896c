//! Criteria that look at the water of a leaf.

use crate::forest::criteria::{
    Criterion, CriterionError, Request, Scale, check_level, check_number, check_priority,
};
use crate::forest::facts::LeafFacts;

/// Quantity that is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// Wet and dry cells in one leaf.
    WetFront,
    /// A difference of stage between wet neighbour cells, m.
    StageStep(f32),
    /// A difference of bed between neighbour cells of a wet leaf, m.
    BedStep(f32),
    /// A speed, m/s.
    Speed(f32),
}

/// A request for detail at some feature of the water.
///
/// Differences between neighbour cells fall as cells get finer. So these measures refine by one
/// level at a time, until the difference is small enough or the level is reached. They keep finer
/// cells than they need until those would not be refined again: up to 0.4 of the threshold, since a
/// difference doubles with the width of cells. A speed is kept down to 0.8 of the threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feature {
    measure: Measure,
    level: u8,
    priority: f32,
}

impl Feature {
    /// Requests detail down to `level` wherever `measure` applies.
    ///
    /// # Errors
    ///
    /// [`CriterionError`] if a threshold is not positive and finite, or if the level is not one of
    /// the world's.
    pub fn try_new(
        measure: Measure,
        level: u8,
        priority: f32,
        world: &Scale,
    ) -> Result<Self, CriterionError> {
        let (what, number) = match measure {
            Measure::WetFront => ("wet fronts", None),
            Measure::StageStep(step_m) => ("a step of stage", Some(step_m)),
            Measure::BedStep(step_m) => ("a step of bed", Some(step_m)),
            Measure::Speed(speed_m_s) => ("a speed", Some(speed_m_s)),
        };
        if let Some(number) = number {
            let what = format!("{what} to refine from");
            let range = "more than 0, at most 10⁴ m or m/s";
            check_number((&what, f64::from(number), range), number > 0.0 && number <= 1.0e4)?;
        }
        check_level(&format!("the level of {what}"), level, world.base(), world.coarsest())?;
        check_priority(what, priority)?;
        Ok(Self { measure, level, priority })
    }

    /// Returns the request for a difference between neighbour cells; up to `most` it is small
    /// enough.
    fn step(&self, level: u8, step: f32, most: f32, world: &Scale) -> Request {
        if step > most {
            let needs = level.saturating_sub(1).max(self.level);
            return Request::level(needs, self.priority);
        }
        // How much coarser the leaf may be: merging twice doubles the step twice.
        let (mut keeps, mut coarse) = (level, step * 2.0);
        // A fifth below the threshold: otherwise a step that grows a little would split the leaf
        // again.
        while coarse <= 0.8 * most && keeps < world.coarsest() {
            (keeps, coarse) = (keeps + 1, coarse * 2.0);
        }
        Request { needs: u8::MAX, keeps: keeps.max(self.level), priority: self.priority }
    }
}

impl Criterion for Feature {
    fn request(&self, leaf: &LeafFacts, world: &Scale) -> Request {
        let step = |step_m: f32, most: f32| self.step(leaf.key.level, step_m, most, world);
        let level = |needs: bool, keeps: bool| match (needs, keeps) {
            (true, _) => Request::level(self.level, self.priority),
            (_, true) => Request { needs: u8::MAX, keeps: self.level, priority: self.priority },
            _ => Request::NOTHING,
        };
        match self.measure {
            Measure::WetFront => level(leaf.has_front, false),
            Measure::StageStep(most) => step(leaf.stage_step_m, most),
            Measure::BedStep(most) if leaf.is_wet => step(leaf.bed_step_m, most),
            Measure::BedStep(_) => Request::NOTHING,
            Measure::Speed(most) => level(leaf.speed_m_s > most, leaf.speed_m_s > 0.8 * most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TileKey;
    use crate::grid::cells::CellPlace;

    fn world() -> Scale {
        Scale::try_new(0, 4, 1.0, CellPlace { x: 1024, y: 1024 }).expect("good")
    }

    fn request(measure: Measure, leaf: LeafFacts) -> (u8, u8) {
        let feature = Feature::try_new(measure, 1, 0.0, &world()).expect("good");
        let request = feature.request(&leaf, &world()).tidy(&world());
        (request.needs, request.keeps)
    }

    #[test]
    fn steps_refine_by_one_level_and_keep_what_would_be_refined_again() {
        let dry = LeafFacts::dry(TileKey { level: 2, x: 0, y: 0 });
        for (step, expected) in
            [(0.11, (1, 1)), (0.1, (4, 2)), (0.05, (4, 2)), (0.04, (4, 3)), (0.019, (4, 4))]
        {
            let leaf = LeafFacts { stage_step_m: step, is_wet: true, ..dry };
            assert_eq!(request(Measure::StageStep(0.1), leaf), expected, "stage, {step} m");
            let leaf = LeafFacts { bed_step_m: step, is_wet: true, ..dry };
            assert_eq!(request(Measure::BedStep(0.1), leaf), expected, "bed, {step} m");
            let leaf = LeafFacts { is_wet: false, ..leaf };
            assert_eq!(request(Measure::BedStep(0.1), leaf), (4, 4), "dry bed, {step} m");
        }
        // No finer than the criterion's level, however steep.
        let fine =
            LeafFacts { stage_step_m: 9.0, ..LeafFacts::dry(TileKey { level: 0, x: 0, y: 0 }) };
        assert_eq!(request(Measure::StageStep(0.1), fine), (1, 1));
    }

    #[test]
    fn fronts_and_speed_ask_for_their_level() {
        let dry = LeafFacts::dry(TileKey { level: 3, x: 0, y: 0 });
        assert_eq!(request(Measure::WetFront, dry), (4, 4));
        assert_eq!(request(Measure::WetFront, LeafFacts { has_front: true, ..dry }), (1, 1));
        for (speed_m_s, expected) in [(2.1, (1, 1)), (1.7, (4, 1)), (1.5, (4, 4))] {
            assert_eq!(request(Measure::Speed(2.0), LeafFacts { speed_m_s, ..dry }), expected);
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let error = |measure, level| {
            Feature::try_new(measure, level, 0.0, &world()).expect_err("wrong").to_string()
        };
        assert_eq!(
            error(Measure::Speed(0.0), 1),
            "a speed to refine from is 0: choose more than 0, at most 10⁴ m or m/s"
        );
        assert_eq!(
            error(Measure::WetFront, 7),
            "the level of wet fronts is 7: choose 0 (finest) to 4 (coarsest)"
        );
        error(Measure::StageStep(f32::NAN), 1);
        error(Measure::BedStep(f32::INFINITY), 1);
    }
}
