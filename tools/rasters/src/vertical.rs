//! Vertical systems of EPSG whose heights are not metres, positive up.
//!
//! All remaining vertical systems of the registry are in metres and point up.
//!
//! Source:     EPSG dataset 11.022 by way of PROJ 9.5.1: all vertical systems, and the parts of all
//!             compound ones.

use crate::heights::HeightDirection;
use crate::length::LengthUnit;

/// First and last code of a run of systems, EPSG's code of their unit, and true if they are depths.
type VerticalCodes = (u16, u16, u16, bool);

const METRE: u16 = 9001;
const FOOT: u16 = 9002;
const SURVEY_FOOT: u16 = 9003;
const BRITISH_FOOT: u16 = 9095;

const VERTICAL: [VerticalCodes; 35] = [
    (5336, 5336, METRE, true),
    (5612, 5612, METRE, true),
    (5614, 5614, FOOT, true),
    (5702, 5702, SURVEY_FOOT, false),
    (5706, 5706, METRE, true),
    (5715, 5715, METRE, true),
    (5734, 5734, METRE, true),
    (5739, 5739, METRE, true),
    (5754, 5754, BRITISH_FOOT, false),
    (5789, 5789, METRE, true),
    (5831, 5831, METRE, true),
    (5861, 5867, METRE, true),
    (5873, 5873, METRE, true),
    (6130, 6132, FOOT, false),
    (6357, 6357, METRE, true),
    (6358, 6359, SURVEY_FOOT, true),
    (6360, 6360, SURVEY_FOOT, false),
    (7976, 7976, METRE, true),
    (8050, 8050, FOOT, false),
    (8051, 8051, FOOT, true),
    (8052, 8052, SURVEY_FOOT, false),
    (8053, 8053, SURVEY_FOOT, true),
    (8228, 8228, FOOT, false),
    (8358, 8358, METRE, true),
    (8378, 8378, METRE, true),
    (8897, 8897, FOOT, true),
    (9287, 9288, METRE, true),
    (9672, 9672, METRE, true),
    (10_150, 10_151, METRE, true),
    (10_349, 10_349, METRE, true),
    (10_364, 10_364, METRE, true),
    (10_370, 10_379, METRE, true),
    (10_547, 10_552, METRE, true),
    (10_649, 10_650, METRE, true),
    (10_678, 10_678, METRE, true),
];

const COMPOUND: [VerticalCodes; 10] = [
    (7406, 7407, SURVEY_FOOT, false),
    (8700, 8711, FOOT, false),
    (8712, 8800, SURVEY_FOOT, false),
    (9289, 9290, METRE, true),
    (9502, 9504, FOOT, false),
    (9883, 9883, METRE, true),
    (10_156, 10_157, METRE, true),
    (10_553, 10_556, METRE, true),
    (10_651, 10_652, METRE, true),
    (10_679, 10_679, METRE, true),
];

/// Returns unit and direction of the heights of EPSG's system `code`, vertical or compound; `None`
/// if they are metres and point up, as in nearly all systems.
pub(crate) fn heights_of(code: u16) -> Option<(LengthUnit, HeightDirection)> {
    let runs = VERTICAL.iter().chain(&COMPOUND);
    let (.., unit, is_down) =
        runs.copied().find(|(first, last, ..)| (*first..=*last).contains(&code))?;
    let direction = if is_down { HeightDirection::Down } else { HeightDirection::Up };
    Some((LengthUnit::of_code(unit)?, direction))
}

/// Returns unit and direction of the heights of EPSG's vertical system `code`, which are metres and
/// point up unless they are listed; `None` if EPSG cannot have the code.
pub(crate) fn heights_of_vertical(code: u16) -> Option<(LengthUnit, HeightDirection)> {
    // GeoTIFF 1.0 had codes of its own for ellipsoids and datums.
    let is_epsg = (1024..32_767).contains(&code) && !matches!(code, 5001..=5035 | 5101..=5106);
    heights_of(code).or_else(|| is_epsg.then_some((LengthUnit::METRE, HeightDirection::Up)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertical_systems_are_in_metres_unless_listed() {
        for code in [5703, 5714, 5773, 3855] {
            let (unit, direction) = heights_of_vertical(code).expect("of EPSG");
            assert!(unit == LengthUnit::METRE && direction == HeightDirection::Up, "{code}");
        }
        let (unit, _) = heights_of_vertical(6360).expect("listed");
        assert!((unit.metres() - 1200.0 / 3937.0).abs() < 1.0e-12);
        for code in [0, 5030, 5103, 32_767] {
            assert!(heights_of_vertical(code).is_none(), "{code}");
        }
    }

    #[test]
    fn systems_have_their_units_and_directions() {
        for (code, metres, direction) in [
            (5715, 1.0, HeightDirection::Down),
            (5831, 1.0, HeightDirection::Down),
            (6358, 1200.0 / 3937.0, HeightDirection::Down),
            (6360, 1200.0 / 3937.0, HeightDirection::Up),
            (8051, 0.3048, HeightDirection::Down),
            (8228, 0.3048, HeightDirection::Up),
            (5754, 0.304_800_749_1, HeightDirection::Up),
            (10_374, 1.0, HeightDirection::Down),
            (8767, 1200.0 / 3937.0, HeightDirection::Up),
            (8711, 0.3048, HeightDirection::Up),
            (10_156, 1.0, HeightDirection::Down),
        ] {
            let (unit, found) = heights_of(code).expect("listed");
            assert!((unit.metres() - metres).abs() < 1.0e-12, "{code}: {unit}");
            assert_eq!(found, direction, "{code}");
        }
        for code in [0, 5703, 5714, 5773, 3855, 7405, 32_611, 2263] {
            assert!(heights_of(code).is_none(), "{code}");
        }
        for (first, last, unit, _) in VERTICAL.into_iter().chain(COMPOUND) {
            assert!(first <= last && LengthUnit::of_code(unit).is_some(), "{first}");
        }
    }
}
