//! Lines across which the water is counted.
//!
//! Guarantees: names are unique, lines are on the map and do not cross themselves.
//! Limits:     a line on `NoData` is refused later, when the world is built.

use std::collections::HashSet;

use kit::error::UserError;
use kit::words::brief;
use thalweg::world::SectionLine;

use super::MapPlan;
use super::map::reaches;
use crate::file;
use crate::observed::Observed;
use crate::place::MapPoint;

/// A line across which the water is counted.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionPlan {
    /// Points of the line, in the map's coordinates.
    pub path: Vec<MapPoint>,
    /// Request to the engine.
    pub asked: SectionLine,
    /// Discharges of the real event, positive to the right of the line.
    pub observed: Option<Observed>,
}

impl SectionPlan {
    /// Returns the line in words.
    #[must_use]
    pub fn words(&self) -> String {
        self.path.iter().map(MapPoint::to_string).collect::<Vec<_>>().join(" to ")
    }
}

/// Resolves all sections of a scenario; notes those that are shorter than a simulated cell.
///
/// # Errors
///
/// If a name is missing or used twice, or a line does not fit the map.
pub(super) fn resolve(
    sections: &[file::FlowSectionTable],
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Vec<SectionPlan>, UserError> {
    let (mut found, mut taken) = (Vec::new(), HashSet::new());
    for section in sections {
        let name = section.name.trim();
        if !taken.insert(name) {
            return Err(UserError::new(
                format!("two sections are called `{name}`"),
                "give each section a name of its own",
            ));
        }
        found.push(of(name, &section.line, map)?);
    }
    notes.extend(found.iter().filter_map(|section| short_of_a_cell(section, map.cell_m())));
    Ok(found)
}

/// Returns a note that a section is shorter than the simulated cells, whose faces it counts whole.
fn short_of_a_cell(section: &SectionPlan, cell_m: f64) -> Option<String> {
    let points_m = &section.asked.points_m;
    let pieces = points_m.windows(2).map(|ends| {
        let [x_m, y_m] = [0, 1].map(|axis| ends[1][axis] - ends[0][axis]);
        x_m.hypot(y_m)
    });
    let length_m: f64 = pieces.sum();
    (length_m < cell_m).then(|| {
        format!(
            "section `{}` is {} m long and counts whole faces of cells, which are {} m wide: \
             lengthen it over all of the water that it is to count, or take finer cells \
             (--cell-size)",
            section.asked.name,
            brief(length_m),
            brief(cell_m)
        )
    })
}

fn of(name: &str, line: &[[f64; 2]], map: &MapPlan) -> Result<SectionPlan, UserError> {
    let path: Vec<MapPoint> = line.iter().map(|&[x, y]| MapPoint { x, y }).collect();
    if let Some(&at) = path.iter().find(|&&at| !reaches(&map.world, at)) {
        let (place, mend) = map.outside(|grid| reaches(grid, at));
        let what = format!("section `{name}`: its point {at} lies outside {place}");
        return Err(UserError::new(what, mend));
    }
    // The library refuses it too, but without the coordinates of the map.
    if let Some(pair) = path.windows(2).find(|pair| pair[0] == pair[1]) {
        let what = format!("section `{name}` has the point {} twice in a row", pair[0]);
        return Err(UserError::new(what, "leave one out"));
    }
    let points_m = path.iter().map(|&at| map.metres_to(at)).collect();
    let asked = SectionLine { name: name.to_owned(), points_m };
    let (columns, rows) = map.size();
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let size_m = [columns, rows].map(|cells| cells as f64 * map.world_cell_m());
    asked.check(size_m).map_err(|error| UserError::from_sentence(error.to_string()))?;
    Ok(SectionPlan { path, asked, observed: None })
}
