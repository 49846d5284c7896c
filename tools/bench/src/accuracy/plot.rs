//! Plots as small SVG files: the same curves give the same bytes.

use crate::accuracy::case::{Curve, Division, Ink, Plot, percent};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;

const SIZE: (u32, u32) = (720, 400);
const FONT: &str = "sans-serif";
/// Colours of curves, in order.
const COLOURS: [RGBColor; 10] = [
    RGBColor(0, 90, 181),
    RGBColor(220, 50, 32),
    RGBColor(0, 128, 96),
    RGBColor(200, 130, 0),
    RGBColor(120, 60, 160),
    RGBColor(90, 90, 90),
    RGBColor(60, 170, 220),
    RGBColor(230, 110, 170),
    RGBColor(130, 180, 40),
    RGBColor(120, 70, 30),
];

/// Draws a plot; the text has no blank line, so that Markdown reads it as one block.
///
/// # Errors
///
/// If a curve has no finite place, or the drawing fails.
pub fn svg(plot: &Plot) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (x, y) = ranges(plot).ok_or_else(|| format!("{} has nothing to draw", plot.file))?;
        match plot.division {
            Division::Linear => draw(&area, plot, x, y)?,
            Division::Logarithmic => draw(&area, plot, x.log_scale(), y.log_scale())?,
        }
        area.present()?;
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Ok(lines.map(|line| format!("{line}\n")).collect())
}

type PlotArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type CurveChart<'a, 'b, X, Y> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, Y>>;

fn draw<X, Y>(area: &PlotArea<'_>, plot: &Plot, x: X, y: Y) -> Result<(), Box<dyn Error>>
where
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .caption(plot.caption, (FONT, 18))
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(plot.axes[0])
        .y_desc(plot.axes[1])
        .x_label_formatter(&|value| label(*value, plot.division))
        .y_label_formatter(&|value| label(*value, plot.division))
        .label_style((FONT, 13))
        .draw()?;
    let mut colours = COLOURS.iter().cycle();
    for curve in &plot.curves {
        let colour = match curve.ink {
            Ink::Ground => RGBColor(150, 140, 125),
            Ink::Reference => BLACK,
            Ink::Line | Ink::Dots | Ink::LineDots => *colours.next().unwrap_or(&BLACK),
        };
        draw_curve(&mut chart, curve, colour)?;
    }
    chart
        .configure_series_labels()
        .position(match plot.division {
            Division::Linear => emptier_corner(plot),
            Division::Logarithmic => SeriesLabelPosition::LowerLeft,
        })
        .label_font((FONT, 13))
        .background_style(WHITE.mix(0.8))
        .border_style(RGBColor(200, 200, 200))
        .draw()?;
    Ok(())
}

/// Returns the upper corner with fewer points in it, for the legend.
fn emptier_corner(plot: &Plot) -> SeriesLabelPosition {
    let Some((x, y)) = ranges(plot) else { return SeriesLabelPosition::UpperRight };
    let (mut left, mut right) = (0, 0);
    for &(at, value) in plot.curves.iter().flat_map(|curve| &curve.points) {
        let place = (at - x.start) / (x.end - x.start);
        if value > y.start + 0.6 * (y.end - y.start) {
            left += u32::from(place < 0.35);
            right += u32::from(place > 0.65);
        }
    }
    if left < right { SeriesLabelPosition::UpperLeft } else { SeriesLabelPosition::UpperRight }
}

fn draw_curve<X, Y>(
    chart: &mut CurveChart<'_, '_, X, Y>,
    curve: &Curve,
    colour: RGBColor,
) -> Result<(), Box<dyn Error>>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let has_line = curve.ink != Ink::Dots;
    let has_dots = matches!(curve.ink, Ink::Dots | Ink::LineDots);
    let points = || curve.points.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite());
    if has_line {
        let width = match curve.ink {
            Ink::Ground => 3,
            Ink::Reference => 1,
            _ => 2,
        };
        let style = colour.stroke_width(width);
        chart
            .draw_series(LineSeries::new(points(), style))?
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    if has_dots {
        let series = chart.draw_series(points().map(|at| Circle::new(at, 2, colour.filled())))?;
        if !has_line {
            series
                .label(&curve.name)
                .legend(move |(x, y)| Circle::new((x + 9, y), 2, colour.filled()));
        }
    }
    Ok(())
}

/// Returns a number beside an axis.
fn label(value: f64, division: Division) -> String {
    match division {
        Division::Logarithmic if value < 1.0 => percent(value),
        // Rounded to thousandths: the axis adds steps up.
        _ => format!("{}", (1000.0 * value).round() / 1000.0 + 0.0),
    }
}

/// Returns the ranges of the axes: all places with a little room, whole decades of errors.
fn ranges(plot: &Plot) -> Option<(Range<f64>, Range<f64>)> {
    let range = |pick: fn(&(f64, f64)) -> f64| {
        let values = || plot.curves.iter().flat_map(|curve| &curve.points).map(pick);
        let finite = || values().filter(|value| value.is_finite());
        let (low, high) = (finite().reduce(f64::min)?, finite().reduce(f64::max)?);
        Some(match plot.division {
            Division::Linear => low..high + f64::from(u8::from(low >= high)),
            Division::Logarithmic => low / 1.2..high * 1.2,
        })
    };
    let (mut x, y) = (range(|place| place.0)?, range(|place| place.1)?);
    if plot.division == Division::Logarithmic {
        // Room for the legend.
        x.start *= 0.3;
    }
    let y = match plot.division {
        Division::Linear => {
            let room = 0.05 * (y.end - y.start);
            y.start - room..y.end + room
        }
        Division::Logarithmic => {
            10.0_f64.powf(y.start.log10().floor())..10.0_f64.powf(y.end.log10().ceil())
        }
    };
    Some((x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(division: Division) -> Plot {
        let points = (1..=50).map(|i| (f64::from(i), 1.0 / f64::from(i)));
        let curves = vec![
            Curve::new("exact", Ink::Reference, points),
            Curve::new("dots", Ink::LineDots, [(1.0, 0.9)]),
        ];
        Plot { file: "x.svg", caption: "A case", axes: ["x, m", "depth, m"], division, curves }
    }

    #[test]
    fn the_text_is_one_block_of_svg_and_always_the_same() {
        for division in [Division::Linear, Division::Logarithmic] {
            let text = svg(&plot(division)).expect("drawn");
            assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{text}");
            assert!(!text.contains("\n\n") && text.len() < 30_000, "{} bytes", text.len());
            assert_eq!(text, svg(&plot(division)).expect("drawn"));
        }
    }

    #[test]
    fn a_plot_without_places_is_refused() {
        assert!(svg(&Plot { curves: Vec::new(), ..plot(Division::Linear) }).is_err());
    }
}
