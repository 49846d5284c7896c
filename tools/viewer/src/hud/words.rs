//! Numbers in the form that a person reads.

use crate::session::site::MapPlace;
use rasters::HorizontalUnit;

/// Writes a number to about three figures: `0.05`, `1.25`, `12.5`, `125`.
pub(super) fn number(value: f64) -> String {
    let places = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.places$}");
    // A tiny negative number is written as zero.
    if text.trim_start_matches(['-', '0', '.']).is_empty() { text.replace('-', "") } else { text }
}

/// Writes a number without zeros at the end of its fraction: `0.5`, `20`.
pub(super) fn short(value: f64) -> String {
    let text = number(value);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Writes a number of an axis whose numbers are `step` apart.
pub(super) fn tick(value: f64, step: f64) -> String {
    let places = usize::from(crate::hud::pen::byte((-step.log10()).ceil()));
    format!("{value:.places$}")
}

/// Writes a place on a map: `512300 E, 181400 N`, `8.4900° W, 0.0050° S`.
pub(super) fn on_map(map: &MapPlace, at_m: [f64; 2]) -> String {
    let [x, y] = map.at(at_m);
    let tick = |value: f64| tick(value, map.step.min(1.0));
    match map.unit {
        HorizontalUnit::Degree => {
            let (east, north) = (if x < 0.0 { 'W' } else { 'E' }, if y < 0.0 { 'S' } else { 'N' });
            format!("{}° {east}, {}° {north}", tick(x.abs()), tick(y.abs()))
        }
        HorizontalUnit::Metre => format!("{} E, {} N", tick(x), tick(y)),
        HorizontalUnit::Length(unit) => format!("{}, {} ({unit})", tick(x), tick(y)),
        HorizontalUnit::Unknown => format!("{}, {}", tick(x), tick(y)),
    }
}

/// Writes a length: `25 cm`, `12.5 m`, `1.2 km`.
pub(super) fn length(metres: f64) -> String {
    if metres >= 999.5 {
        format!("{} km", short(metres / 1000.0))
    } else if metres < 0.995 {
        format!("{:.0} cm", metres * 100.0)
    } else {
        format!("{} m", short(metres))
    }
}

/// Writes a volume: `950 m³`, `12 345 m³`, `1.234 million m³`, `1.234 km³`.
pub(super) fn volume(m3: f64) -> String {
    match m3.abs() {
        size if size >= 1.0e9 => format!("{:.3} km³", m3 / 1.0e9),
        size if size >= 1.0e6 => format!("{:.3} million m³", m3 / 1.0e6),
        size if size >= 999.5 => {
            let text = format!("{m3:.0}");
            let (left, right) = text.split_at(text.len() - 3);
            format!("{left} {right} m³")
        }
        _ => format!("{m3:.0} m³"),
    }
}

/// Writes a time: `12.3 s`, `4 min 05 s`, `1 h 23 min`, `2 d 3 h 04 min`.
pub(super) fn clock(seconds: f64) -> String {
    if seconds < 60.0 {
        // Rounded down like the longer ones, so that no "60.0 s" appears.
        return format!("{:.1} s", (seconds.max(0.0) * 10.0).floor() / 10.0);
    }
    let whole = seconds.floor();
    let (days, hours) = ((whole / 86_400.0).floor(), (whole / 3600.0).floor() % 24.0);
    let (minutes, rest) = ((whole / 60.0).floor() % 60.0, whole % 60.0);
    if days >= 1.0 {
        format!("{days} d {hours} h {minutes:02} min")
    } else if hours >= 1.0 {
        format!("{hours} h {minutes:02} min")
    } else {
        format!("{minutes} min {rest:02} s")
    }
}

/// Returns the direction of a velocity: `NE`. Empty if the velocity is zero.
pub(super) fn direction(velocity: [f64; 2]) -> &'static str {
    const NAMES: [&str; 8] = ["E", "NE", "N", "NW", "W", "SW", "S", "SE"];
    let [east, north] = velocity;
    if east.hypot(north) < 1.0e-3 {
        return "";
    }
    let eighth = (north.atan2(east) / std::f64::consts::FRAC_PI_4).round();
    NAMES[usize::from(crate::hud::pen::byte(eighth.rem_euclid(8.0))) % 8]
}

/// Returns the largest of 1, 2, 5, 10, 20, … × 10ⁿ that is not above `value`.
pub(super) fn round_down(value: f64) -> f64 {
    if !(value > 0.0 && value.is_finite()) {
        return 1.0;
    }
    let ten = 10.0_f64.powf(value.log10().floor());
    // A value just below a round number, through rounding, counts as that number.
    let digit = match value / ten * (1.0 + 1.0e-9) {
        d if d >= 10.0 => 10.0,
        d if d >= 5.0 => 5.0,
        d if d >= 2.0 => 2.0,
        _ => 1.0,
    };
    digit * ten
}

/// Returns the next of 1, 2, 5, 10, … above or below.
pub(super) fn next_round(value: f64, up: bool) -> f64 {
    if up { round_down(value * 2.5) } else { round_down(value * 0.6) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rasters::Grid;

    #[test]
    fn numbers_have_three_figures() {
        let cases = [(0.0, "0.00"), (-0.001, "0.00"), (1.254, "1.25"), (9.999, "10.0")];
        let more = [(12.34, "12.3"), (99.96, "100"), (-1234.4, "-1234")];
        for (value, expected) in cases.into_iter().chain(more) {
            assert_eq!(number(value), expected, "{value}");
        }
        assert_eq!([tick(0.015, 0.005), tick(1.0, 0.5), tick(20.0, 10.0)], ["0.015", "1.0", "20"]);
        assert_eq!([short(0.5), short(20.0), short(0.0)], ["0.5", "20", "0"]);
    }

    #[test]
    fn places_are_told_in_the_coordinates_of_the_map() {
        let map = |unit, [west, north]: [f64; 2], step: f64, cell_m: f64| {
            let (width, height, crs) = (300, 200, None);
            let (step_x, step_y, cell) = (step, step, None);
            let grid = Grid { width, height, west, north, step_x, step_y, cell_m: cell, unit, crs };
            MapPlace::of(&grid, cell_m)
        };
        let metres = |cell_m| map(HorizontalUnit::Metre, [512_000.0, 181_400.0], 5.0, cell_m);
        let degrees = map(HorizontalUnit::Degree, [-8.5, 0.01], 1.0e-4, 11.0);
        let plain = map(HorizontalUnit::Unknown, [0.0, 100.0], 0.5, 0.5);
        let cases = [
            (metres(5.0), [0.0, 0.0], "512000 E, 180400 N"),
            (metres(5.0), [1500.0, 1000.0], "513500 E, 181400 N"),
            // Its cells are a bit wider on the ground than on the map.
            (metres(5.01), [501.0, 50.1], "512500 E, 180450 N"),
            (degrees, [1100.0, 550.0], "8.4900° W, 0.0050° S"),
            (plain, [2.25, 0.0], "2.2, 0.0"),
        ];
        for (map, at_m, expected) in cases {
            assert_eq!(on_map(&map, at_m), expected);
        }
    }

    #[test]
    fn lengths_and_volumes_choose_their_unit() {
        let lengths = [(0.25, "25 cm"), (1.0, "1 m"), (12.5, "12.5 m"), (1200.0, "1.2 km")];
        for (metres, expected) in lengths {
            assert_eq!(length(metres), expected);
        }
        let volumes = [(950.0, "950 m³"), (12_345.0, "12 345 m³"), (1.234e6, "1.234 million m³")];
        for (m3, expected) in volumes {
            assert_eq!(volume(m3), expected);
        }
    }

    #[test]
    fn the_clock_shows_what_matters() {
        let cases = [
            (0.0, "0.0 s"),
            (59.99, "59.9 s"),
            (245.9, "4 min 05 s"),
            (4980.0, "1 h 23 min"),
            (183_840.0, "2 d 3 h 04 min"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(clock(seconds), expected);
        }
    }

    #[test]
    fn directions_are_those_of_a_compass() {
        let cases =
            [([1.0, 0.0], "E"), ([0.0, 2.0], "N"), ([-1.0, -1.0], "SW"), ([1.0, -1.0], "SE")];
        for (velocity, expected) in cases {
            assert_eq!(direction(velocity), expected);
        }
        assert_eq!(direction([0.0, 0.0]), "");
    }

    #[test]
    fn round_numbers_follow_each_other() {
        let mut value = 0.1;
        let mut seen = Vec::new();
        for _ in 0..7 {
            seen.push(short(value));
            value = next_round(value, true);
        }
        assert_eq!(seen, ["0.1", "0.2", "0.5", "1", "2", "5", "10"]);
        for _ in 0..7 {
            value = next_round(value, false);
        }
        assert_eq!(short(value), "0.1");
    }
}
