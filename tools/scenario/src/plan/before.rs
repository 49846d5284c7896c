//! Water that exists before the event and that no headline counts as flooded.

use std::sync::atomic::{AtomicU64, Ordering};

use kit::error::UserError;
use rasters::Fact;

use super::super::before::{SeaLevel, WaterClasses};
use super::super::file;
use super::field::{Field, note_cover};
use super::map::MapPlan;

/// Water that exists before the event, besides the water at the start.
#[derive(Debug, Clone, PartialEq)]
pub struct WaterBefore {
    /// Level of the sea.
    pub sea: SeaLevel,
    /// Rivers, lakes and sea by place: 1 for water, 0 elsewhere.
    pub permanent: Option<Field>,
    /// True if the map's heights are spread over a range that the user names, as for pictures: the
    /// lowest is then the lowest ground, at any height, and flat ground is no sign of a sea.
    pub is_spread: bool,
}

pub(super) fn resolve(
    output: &file::OutputTable,
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
            let (classes, only) = (classes.clone(), OnlyValue::default());
            let value = move |value| {
                if classes.is_none() {
                    only.check(value)?;
                }
                Ok(f64::from(u8::from(is_water(value, classes.as_ref()))))
            };
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
    let is_spread = map.facts.iter().any(Fact::is_spread);
    Ok(WaterBefore { sea, permanent, is_spread })
}

/// The only value besides 0 of a raster, after it was read.
#[derive(Debug, Default)]
struct OnlyValue {
    /// Bits of the value; 0 before it was read.
    bits: AtomicU64,
}

impl OnlyValue {
    /// Refuses a second value besides 0: classes of land and values of gaps are not 0 either.
    fn check(&self, value: f64) -> Result<(), String> {
        let bits = value.to_bits();
        if value == 0.0 {
            return Ok(());
        }
        match self.bits.compare_exchange(0, bits, Ordering::Relaxed, Ordering::Relaxed) {
            Err(first) if first != bits => Err(format!(
                "the raster of permanent water has the values {} and {value}, and it is not clear \
                 which of them are water: name those with --water-classes (`water_classes` under \
                 [output]), like --water-classes 80, or write 1 for water and 0 elsewhere into the \
                 file",
                f64::from_bits(first)
            )),
            _ => Ok(()),
        }
    }
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

    /// Goal: without classes a mask is understood, and classes of land are no water.
    #[test]
    fn water_without_classes_is_one_value_besides_nought() {
        for (values, wrong) in [
            (&[0.0, 1.0, 0.0, 1.0][..], None),
            (&[255.0, 255.0], None),
            (&[-0.0, 0.0], None),
            (&[10.0, 80.0], Some("values 10 and 80")),
            (&[0.0, 1.0, 255.0], Some("values 1 and 255")),
        ] {
            let only = OnlyValue::default();
            let found = values.iter().find_map(|value| only.check(*value).err());
            let is_right = match (&found, wrong) {
                (Some(found), Some(wrong)) => found.contains(wrong),
                (found, wrong) => found.is_none() && wrong.is_none(),
            };
            assert!(is_right, "{values:?}: {found:?}");
        }
    }

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
