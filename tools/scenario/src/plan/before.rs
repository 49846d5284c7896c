//! Water that is there before the event and that no headline counts as flooded.

use kit::error::UserError;
use rasters::Source;

use super::super::before::{SeaLevel, WaterClasses};
use super::super::file;
use super::field::{Field, note_cover};
use super::map::MapPlan;

/// Water that is there before the event, besides the water at the start.
#[derive(Debug, Clone, PartialEq)]
pub struct WaterBefore {
    /// Level of the sea.
    pub sea: SeaLevel,
    /// Rivers, lakes and sea by place: 1 where there is water, 0 elsewhere.
    pub permanent: Option<Field>,
    /// True if the map's heights are spread over a range that the user names, as those of pictures
    /// are: their lowest is the lowest ground, at whatever height, and flat ground is no sign of a
    /// sea.
    pub is_spread: bool,
}

pub(super) fn resolve(
    output: &file::Output,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<WaterBefore, UserError> {
    let sea = output.sea.unwrap_or_default();
    let permanent = match (&output.permanent_water, &output.water_classes) {
        (None, None) => None,
        (None, Some(_)) => {
            return Err(UserError::new(
                "classes of water are given, and no raster that has them",
                "name the raster with --permanent-water",
            ));
        }
        (Some(raster), classes) => {
            let classes = classes.clone();
            let value = move |class| Ok(f64::from(u8::from(is_water(class, classes.as_ref()))));
            Some(Field::read_finest_classes(raster, "permanent water", (map, notes), value)?)
        }
    };
    if let Some(field) = &permanent {
        if field.range().is_none_or(|(_, most)| most <= 0.0) {
            notes.push(format!(
                "no cell of {} is water on this map (choose with --water-classes)",
                field.path().display()
            ));
        }
        note_cover(field, map, "there is no permanent water there", notes);
    }
    let is_spread = map.facts.iter().any(|fact| fact.source == Source::HEIGHT_RANGE);
    Ok(WaterBefore { sea, permanent, is_spread })
}

/// True if a value is one of the classes of water; without classes, if the value is not 0.
fn is_water(value: f64, classes: Option<&WaterClasses>) -> bool {
    match classes {
        Some(WaterClasses(classes)) => {
            classes.iter().any(|&class| (value - f64::from(class)).abs() < 0.5)
        }
        None => value != 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn water_is_a_class_or_anything_but_nought() {
        let classes = WaterClasses(vec![40, 41]);
        for (value, of_classes, of_any) in
            [(0.0, false, false), (1.0, false, true), (40.0, true, true), (41.0, true, true)]
        {
            assert_eq!(is_water(value, Some(&classes)), of_classes, "{value}");
            assert_eq!(is_water(value, None), of_any, "{value}");
        }
    }
}
