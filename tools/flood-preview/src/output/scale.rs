//! Colour scales in classes: what a value looks like on a map, and what the legend says.
//!
//! Guarantees: classes rise; neighbouring colours differ in lightness, so the maps also work in
//!             print and for colour-blind readers.
//! Source:     hazard: Defra/Environment Agency (2006) FD2321/TR1 for h · (v + 0.5), its classes
//!             as in Surendran et al. (2008), Supplementary note on flood hazard ratings and
//!             thresholds (without debris factor).

use super::canvas::Colour;
use super::wording;

/// One class of a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Smallest value of the class.
    pub from: f32,
    /// Colour on maps.
    pub colour: Colour,
    /// What the legend says.
    pub label: String,
}

/// Classes in rising order. Values below the first are not drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// The classes.
    pub classes: Vec<Class>,
}

impl Scale {
    /// The class of `value`; `None` below the first and for NaN.
    #[must_use]
    pub fn class_of(&self, value: f32) -> Option<&Class> {
        self.classes.iter().rev().find(|class| value >= class.from)
    }

    /// Depth, m, up to `largest`.
    #[must_use]
    pub fn depth(largest: f32) -> Self {
        const COLOURS: [u32; 7] =
            [0xcf_e6f7, 0xa3_d0ee, 0x6f_b3e0, 0x3f_90cd, 0x1f_6bb1, 0x0d_488b, 0x06_295a];
        Self::stepped(&[0.05, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0], &COLOURS, largest, "m")
    }

    /// Speed, m/s, up to `largest`.
    #[must_use]
    pub fn speed(largest: f32) -> Self {
        const COLOURS: [u32; 6] =
            [0xf3_d3e8, 0xe5_a4d0, 0xd0_6bb2, 0xab_3a92, 0x7a_1d76, 0x46_0f52];
        Self::stepped(&[0.1, 0.25, 0.5, 1.0, 2.0, 4.0], &COLOURS, largest, "m/s")
    }

    /// Hazard `h · (v + 0.5)`, m²/s, drawn from `lowest`.
    #[must_use]
    pub fn hazard(lowest: f32) -> Self {
        let classes = [
            (lowest, 0xff_e79f, "Low (< 0.75): caution"),
            (0.75, 0xfd_b147, "Moderate (0.75–1.25): danger for some"),
            (1.25, 0xe6_5531, "Significant (1.25–2): danger for most"),
            (2.0, 0x8c_1136, "Extreme (> 2): danger for all"),
        ];
        Self {
            classes: classes
                .map(|(from, colour, label)| Class {
                    from,
                    colour: rgb(colour),
                    label: label.into(),
                })
                .into(),
        }
    }

    /// Time of arrival, s, up to `largest`: early is dark, late is light.
    #[must_use]
    pub fn arrival(largest: f32) -> Self {
        const COLOURS: [u32; 7] =
            [0x2c_0a73, 0x6a_0fa3, 0xa1_1f97, 0xcf_4973, 0xec_7a51, 0xfb_b034, 0xf7_e34a];
        let step = wording::round_time(largest / 7.0);
        let count = COLOURS
            .len()
            .min((1_u8..8).find(|&n| step * f32::from(n) >= largest).unwrap_or(7).into());
        let classes = (0_u8..)
            .zip(spread(&COLOURS, count))
            .map(|(index, colour)| {
                let from = step * f32::from(index);
                Class { from, colour: rgb(colour), label: wording::time_span(from, from + step) }
            })
            .collect();
        Self { classes }
    }

    /// Classes from `breaks`; all are divided by ten until `largest` reaches the second.
    fn stepped(breaks: &[f64], colours: &[u32], largest: f32, unit: &str) -> Self {
        let largest = f64::from(largest);
        let mut divisor = 1.0;
        while largest > 0.0 && largest * divisor < breaks[1] && divisor < 1.0e6 {
            divisor *= 10.0;
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounding to the nearest f32")]
        let breaks: Vec<f32> = breaks.iter().map(|value| (value / divisor) as f32).collect();
        let classes = breaks
            .iter()
            .zip(colours)
            .enumerate()
            .map(|(index, (&from, &colour))| Class {
                from,
                colour: rgb(colour),
                label: match breaks.get(index + 1) {
                    Some(to) => format!("{from} – {to} {unit}"),
                    None => format!("> {from} {unit}"),
                },
            })
            .collect();
        Self { classes }
    }
}

/// `count` of `colours`, spread over all of them.
fn spread(colours: &[u32], count: usize) -> Vec<u32> {
    let last = colours.len() - 1;
    (0..count).map(|index| colours[index * last / (count - 1).max(1)]).collect()
}

fn rgb(hex: u32) -> Colour {
    let [_, red, green, blue] = hex.to_be_bytes();
    [red, green, blue]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(scale: &Scale, value: f32) -> &str {
        scale.class_of(value).map_or("", |class| &class.label)
    }

    #[test]
    fn values_find_their_class() {
        let depth = Scale::depth(3.0);
        for (value, expected) in [
            (f32::NAN, ""),
            (0.049, ""),
            (0.05, "0.05 – 0.1 m"),
            (0.3, "0.3 – 0.5 m"),
            (4.99, "2 – 5 m"),
            (500.0, "> 5 m"),
        ] {
            assert_eq!(label(&depth, value), expected, "{value}");
        }
        let hazard = Scale::hazard(0.025);
        for (value, name) in [(0.74, "Low"), (0.75, "Mod"), (1.25, "Sig"), (2.0, "Ext")] {
            assert!(label(&hazard, value).starts_with(name), "{value}");
        }
    }

    #[test]
    fn shallow_worlds_get_finer_classes() {
        assert_eq!(label(&Scale::depth(0.02), 0.02), "0.01 – 0.03 m");
        assert_eq!(Scale::depth(0.0), Scale::depth(1.0));
        assert_eq!(label(&Scale::speed(0.02), 0.02), "0.02 – 0.04 m/s");
    }

    #[test]
    fn arrival_covers_the_run_in_round_steps() {
        for (largest, count, last) in [
            (3600.0, 6, "50 – 60 min"),
            (59.0, 6, "50 – 60 s"),
            (0.0, 1, "0 – 1 s"),
            (7.0 * 86400.0, 7, "6 – 7 d"),
        ] {
            let scale = Scale::arrival(largest);
            let end = scale.classes.last().expect("at least one");
            assert_eq!((scale.classes.len(), end.label.as_str()), (count, last), "{largest}");
            assert!(largest <= 0.0 || scale.class_of(largest).is_some());
        }
    }

    #[test]
    fn colours_of_a_scale_grow_steadily_darker_or_lighter() {
        for scale in
            [Scale::depth(9.0), Scale::speed(9.0), Scale::hazard(0.1), Scale::arrival(3600.0)]
        {
            let light: Vec<u32> = scale
                .classes
                .iter()
                .map(|c| {
                    3 * u32::from(c.colour[0]) + 6 * u32::from(c.colour[1]) + u32::from(c.colour[2])
                })
                .collect();
            let falls = light.windows(2).all(|pair| pair[0] > pair[1] + 100);
            let rises = light.windows(2).all(|pair| pair[0] + 100 < pair[1]);
            assert!(falls || rises, "{light:?}");
        }
    }
}
