//! Series of the gauges, as lines over time.

use crate::hud::marks::gauge_colour;
use crate::hud::palette::{self, BODY, GAP, SMALL, STRIP};
use crate::hud::pen::{self, Pen, Px};
use crate::hud::{DisplayView, words};
use crate::session::GaugeSeries;
use ggez::graphics::Rect;
use std::sync::Arc;

/// Width of the panel, px.
pub(super) const WIDE: f32 = 420.0;
/// Least height of a chart with its words, px.
const CHART_LEAST: f32 = 90.0;
/// Least end of an axis: small noise must not fill the chart.
const LEAST: f64 = 0.1;
/// Largest number of points of a line: more are not visible.
const POINTS_MOST: usize = 180;
/// Largest number of gauges that are named.
const NAMES_MOST: usize = 8;

/// Quantity drawn over time.
struct GaugeQuantity {
    name: &'static str,
    unit: &'static str,
    values: fn(&GaugeSeries) -> &[f32],
}

const QUANTITIES: [GaugeQuantity; 2] = [
    GaugeQuantity { name: "depth", unit: "m", values: |series| &series.depth_m },
    GaugeQuantity { name: "speed", unit: "m/s", values: |series| &series.speed_m_s },
];

/// Draws the charts in the upper right corner, above `bottom`.
pub(super) fn draw(pen: &mut Pen, view: &DisplayView, bottom: f32) {
    let gauges = &view.state.gauges;
    let names = gauges.len().min(NAMES_MOST);
    let top = STRIP + GAP;
    let head = 34.0 + pen::count(names) * 20.0;
    // If only one chart fits, it is that of depths.
    let charts = if bottom - top < head + 2.0 * CHART_LEAST { 1 } else { 2 };
    let high = (head + pen::count(charts) * 150.0).min(bottom - top);
    let left = view.size_px[0] - WIDE - GAP;
    if gauges.is_empty() {
        let area = Rect::new(left, top, WIDE, 40.0);
        pen.panel(area);
        let text = "No gauge yet: place one with key 0.";
        pen.write([area.x + 14.0, area.y + 11.0], text, BODY, palette::WORDS);
        return;
    }
    let area = Rect::new(left, top, WIDE, high);
    pen.panel(area);
    draw_names(pen, view, area, names);
    let each = (high - head) / pen::count(charts);
    for (index, quantity) in QUANTITIES[..charts].iter().enumerate() {
        let y = area.y + head + pen::count(index) * each;
        let chart = Rect::new(area.x + 54.0, y + 20.0, WIDE - 74.0, each - 46.0);
        draw_chart(pen, view, chart, quantity);
    }
}

/// Draws the names of the gauges in their colours, with their present values.
fn draw_names(pen: &mut Pen, view: &DisplayView, area: Rect, names: usize) {
    let columns = [area.right() - 110.0, area.right() - 14.0];
    pen.write([area.x + 14.0, area.y + 9.0], "Gauges", BODY, palette::WORDS);
    for (end, title) in columns.into_iter().zip(["depth", "speed"]) {
        pen.write_left([end, area.y + 11.0], title, SMALL, palette::FAINT);
    }
    for (row, series) in view.state.gauges.iter().take(names).enumerate() {
        let y = area.y + 32.0 + pen::count(row) * 20.0;
        let colour = gauge_colour(view, &series.name);
        pen.fill(Rect::new(area.x + 14.0, y + 7.0, 18.0, 4.0), colour);
        let name: String = series.name.chars().take(18).collect();
        pen.write([area.x + 40.0, y], name, SMALL, colour);
        for (end, quantity) in columns.into_iter().zip(&QUANTITIES) {
            if let Some(now) = (quantity.values)(series).last() {
                let text = format!("{} {}", words::number(f64::from(*now)), quantity.unit);
                pen.write_left([end, y], text, SMALL, palette::WORDS);
            }
        }
    }
}

fn draw_chart(pen: &mut Pen, view: &DisplayView, chart: Rect, quantity: &GaugeQuantity) {
    let gauges = &view.state.gauges;
    let all = |of: fn(&GaugeSeries) -> &[f32]| gauges.iter().flat_map(move |series| of(series));
    let most = f64::from(all(quantity.values).copied().fold(0.0, f32::max)).max(LEAST);
    let times = || all(|series| &series.times_s).copied();
    let first = f64::from(times().fold(f32::INFINITY, f32::min));
    let last = f64::from(times().fold(f32::NEG_INFINITY, f32::max));
    let title = format!("{}, {}", quantity.name, quantity.unit);
    pen.write([chart.x, chart.y - 20.0], title, SMALL, palette::FAINT);
    if last <= first {
        let middle = [chart.x + chart.w / 2.0, chart.y + chart.h / 2.0 - 8.0];
        pen.write_amid(middle, "time has to pass first", SMALL, palette::FAINT);
        return;
    }
    // As many lines as fit, at round numbers.
    let lines = if chart.h < 70.0 { 2.0 } else { 4.0 };
    let step = words::next_round(words::round_down(most / lines * 0.999), true);
    let top = (most / step).ceil() * step;
    let y_of = |value: f64| chart.bottom() - pen::px(value / top) * chart.h;
    let x_of = |time: f64| chart.x + pen::px((time - first) / (last - first)) * chart.w;
    let mut value = 0.0;
    while value <= top * 1.001 {
        let y = y_of(value);
        pen.line([chart.x, y], [chart.right(), y], 1.0, palette::GRID);
        pen.write_left([chart.x - 6.0, y - 8.0], words::tick(value, step), SMALL, palette::FAINT);
        value += step;
    }
    let y = chart.bottom() + 4.0;
    pen.write([chart.x, y], words::clock(first), SMALL, palette::FAINT);
    pen.write_left([chart.right(), y], words::clock(last), SMALL, palette::FAINT);
    for series in gauges {
        let colour = gauge_colour(view, &series.name);
        pen.stroke(&points(series, quantity, &x_of, &y_of), 2.0, colour, false);
    }
}

/// Returns a line through the readings of a gauge: the largest of each few, to keep every peak.
fn points(
    series: &Arc<GaugeSeries>,
    quantity: &GaugeQuantity,
    x_of: &dyn Fn(f64) -> f32,
    y_of: &dyn Fn(f64) -> f32,
) -> Vec<Px> {
    let values = (quantity.values)(series);
    let each = values.len().div_ceil(POINTS_MOST).max(1);
    let parts = series.times_s.chunks(each).zip(values.chunks(each));
    let highest = parts.filter_map(|(times, values)| {
        let pairs = times.iter().zip(values);
        pairs.max_by(|a, b| a.1.total_cmp(b.1))
    });
    highest.map(|(time, value)| [x_of(f64::from(*time)), y_of(f64::from(*value))]).collect()
}
