//! A map to hand round: heading, map, legend, north arrow, scale bar and what it was made from.

use kit::picture::colours::Colour;
use noto_sans_mono_bitmap::FontWeight;

use super::canvas::{Canvas, FAINT, HEADING, INK, PLAIN, REMARK, STRONG, WHITE};
use super::layer::Layer;
use super::map::{Ground, Zoom, cell_m, is_striped};
use super::names::Names;
use super::scale::Class;
use super::{backdrop, lines, wording};
use crate::outcome::Outcome;

/// Space around and between the parts of a sheet, pixels.
pub(crate) const MARGIN: i32 = 24;
/// Width of the panel with the legend, pixels.
pub(crate) const PANEL: i32 = 264;
/// Height of a line of text, pixels.
pub(crate) const LINE: i32 = 22;
/// Height of the panel, so that a flat map has room for its legend.
const PANEL_HEIGHT: i32 = 480;
/// From one key of the legend to the next.
pub(crate) const KEY: i32 = 26;
/// Height of the map above the footer where the map is narrower than the heading.
pub(crate) const MAP_WIDTH_MIN: i32 = 460;
/// Names of gauges are written on the map up to this many; beyond, only their places are marked.
const NAMED_GAUGES: usize = 24;
/// Outline of the map and of keys.
pub(crate) const RIM: Colour = [148, 156, 167];
/// Colour of a warning.
pub(crate) const WARNING: Colour = [168, 64, 16];

/// Draws the sheet of one layer.
#[must_use]
pub fn sheet(outcome: &Outcome, ground: &Ground, layer: &Layer<'_>) -> Canvas {
    let zoom = ground.zoom;
    let map_width = pixels(zoom.pixels(outcome.grid.width));
    let map_height = pixels(zoom.pixels(outcome.grid.height));
    let column = map_width.max(MAP_WIDTH_MIN);
    let width = column + PANEL + 3 * MARGIN;
    let title = PLAIN.wrapped(&outcome.title, width - 2 * MARGIN);
    let title = &title[..title.len().min(3)];
    let footer = REMARK.wrapped(&footer(outcome, zoom), width - 2 * MARGIN);

    let top = MARGIN + 34 + LINE * rows(title) + 12;
    let panel = PANEL_HEIGHT + if layer.has_before { KEY } else { 0 };
    let body = map_height.max(panel);
    let bottom = top + body + 14;
    let height = bottom + LINE * rows(&footer) + MARGIN - 6;
    let mut canvas = Canvas::new(size(width), size(height), WHITE);

    canvas.write(MARGIN, MARGIN - 4, layer.heading, &HEADING);
    write_lines(&mut canvas, MARGIN, MARGIN + 30, title, &PLAIN);
    if outcome.interrupted {
        let text = "Stopped early: not the whole flood";
        let warning = super::canvas::Lettering { colour: WARNING, ..STRONG };
        let x = width - MARGIN - warning.width(text);
        canvas.write(x, MARGIN, text, &warning);
    }

    let left = MARGIN + (column - map_width) / 2;
    ground.draw(&mut canvas, (left, top), outcome, layer);
    let (corner, end) = ([left, top], [left + map_width, top + map_height]);
    backdrop::draw(&mut canvas, outcome, zoom, (corner, end));
    canvas.outline(left - 1, top - 1, map_width + 2, map_height + 2, RIM);
    let gauges = gauge_places(outcome, zoom, (left, top));
    let mut names = Names::on([left, top, left + map_width, top + map_height]);
    gauges.iter().for_each(|(_, place)| names.keep_free(*place, 6));
    lines::draw(&mut canvas, &mut names, outcome, zoom, (left, top));
    mark_gauges(&mut canvas, &mut names, &gauges);
    backdrop::name(&mut canvas, &mut names, outcome, zoom, corner);

    let x = width - MARGIN - PANEL;
    draw_legend(&mut canvas, (x, top), outcome, layer, zoom);
    draw_north(&mut canvas, x + PANEL - 22, top + body - 78);
    if outcome.grid.cell_m.is_some() {
        let pixel_m = zoom.pixel_m(cell_m(&outcome.grid));
        draw_scale_bar(&mut canvas, x, top + body - 40, pixel_m);
    }
    write_lines(&mut canvas, MARGIN, bottom, &footer, &REMARK);
    canvas
}

/// Sources of the map, in one line.
fn footer(outcome: &Outcome, zoom: Zoom) -> String {
    let mut parts = vec![format!("Simulated {}", wording::clock(outcome.simulated_s))];
    if let Some((cell, _)) = outcome.grid.cell_m {
        let drawn = wording::length(cell);
        parts.push(match &outcome.coarse {
            None => format!("cells of {drawn}"),
            Some(coarse) => {
                format!("cells of {}, drawn on {drawn}", wording::length(coarse.cell_m))
            }
        });
    }
    if zoom.reduce > 1 {
        parts.push(format!("one pixel is {0} × {0} cells", zoom.reduce));
    }
    if let Some(backdrop) = &outcome.backdrop {
        let file = backdrop.path.file_name().unwrap_or_default();
        parts.push(format!("backdrop {}", file.to_string_lossy()));
    }
    if let Some(crs) = &outcome.grid.crs {
        parts.push(crs.to_string());
    }
    parts.push(format!("thalweg flood-preview {}", env!("CARGO_PKG_VERSION")));
    parts.join("  ·  ")
}

fn draw_legend(
    canvas: &mut Canvas,
    (x, top): (i32, i32),
    outcome: &Outcome,
    layer: &Layer<'_>,
    zoom: Zoom,
) {
    canvas.write(x, top - 3, layer.heading, &STRONG);
    let mut y = top + 28;
    for (colour, label) in layer.keys() {
        canvas.fill(x, y, 34, 20, colour);
        canvas.outline(x, y, 34, 20, RIM);
        let lines = PLAIN.wrapped(label, PANEL - 46);
        write_lines(canvas, x + 46, y + 1, &lines, &PLAIN);
        y += KEY + (rows(&lines) - 1).max(0) * LINE;
    }
    if let (Some(_), Some(class)) = (layer.below, middle_of(&layer.scale.classes)) {
        for (px, py) in (0..34).flat_map(|px| (0..20).map(move |py| (px, py))) {
            if is_striped(px, py) {
                canvas.blend(x + px, y + py, class.colour, 255);
            }
        }
        canvas.outline(x, y, 34, 20, RIM);
        let lines = PLAIN.wrapped("Hatched: below a deck or the ground", PANEL - 46);
        write_lines(canvas, x + 46, y + 1, &lines, &PLAIN);
        y += KEY + (rows(&lines) - 1).max(0) * LINE;
    }
    for key in lines::keys(outcome) {
        lines::draw_key(canvas, key, [x + 1, y + 3, 32, 14]);
        canvas.write(x + 46, y + 1, key.label(), &PLAIN);
        y += KEY;
    }
    let mut remark = layer.remark.clone();
    if zoom.reduce > 1 {
        remark += " A pixel is many cells: its colour is that of the mean of those in a class, and \
                   the paler, the fewer they are.";
    }
    let lines = REMARK.wrapped(&remark, PANEL);
    write_lines(canvas, x, y + 10, &lines, &REMARK);
}

/// The class in whose colour a hatching is explained.
fn middle_of(classes: &[Class]) -> Option<&Class> {
    classes.get(classes.len() / 2)
}

/// Draws a north arrow.
pub(crate) fn draw_north(canvas: &mut Canvas, x: i32, y: i32) {
    let (tip_x, tip_y) = (f64::from(x) + 0.5, f64::from(y) + 18.0);
    let area = (x - 12, y + 16, 25, 40);
    // A dart: within half a width of its axis, and above the notch in its foot.
    let dart = move |px: f64, py: f64| {
        let (aside, down) = ((px - tip_x).abs(), py - tip_y);
        aside <= down * 0.32 && down <= 36.0 - (11.5 - aside) * 0.7
    };
    canvas.shape(area, INK, dart);
    canvas.shape(area, FAINT, |px, py| px > tip_x && dart(px, py));
    let letter = super::canvas::Lettering { weight: FontWeight::Bold, ..PLAIN };
    canvas.write(x - letter.width("N") / 2 + 1, y - 4, "N", &letter);
}

/// Draws a scale bar of pixels that are so many metres wide.
pub(crate) fn draw_scale_bar(canvas: &mut Canvas, x: i32, y: i32, pixel_m: f64) {
    let metres = wording::round_below(f64::from(PANEL - 84) * pixel_m);
    #[expect(clippy::cast_possible_truncation, reason = "at most the panel's width")]
    let bar = (metres / pixel_m).round() as i32;
    canvas.write(x, y - 8, "0", &PLAIN);
    let label = wording::length(metres);
    canvas.write(x + bar - PLAIN.width(&label) / 2, y - 8, &label, &PLAIN);
    canvas.fill(x, y + 14, bar, 9, INK);
    canvas.fill(x + bar / 2, y + 15, bar - bar / 2 - 1, 7, WHITE);
    for tick in [x, x + bar - 1] {
        canvas.fill(tick, y + 11, 1, 12, INK);
    }
}

/// Names of gauges on the map whose north-west corner is at `left, top`, and their places, pixels.
fn gauge_places(outcome: &Outcome, zoom: Zoom, (left, top): (i32, i32)) -> Vec<(&str, [i32; 2])> {
    let place = |cell: usize| pixels((2 * cell + 1) * zoom.enlarge / (2 * zoom.reduce));
    let gauges = outcome.gauges.iter().filter_map(|gauge| {
        let (column, row) = outcome.grid.cell_at(gauge.x, gauge.y)?;
        Some((&*gauge.name, [left + place(column), top + place(row)]))
    });
    gauges.collect()
}

/// Marks gauges at their places, with their names if there are few.
pub(crate) fn mark_gauges(canvas: &mut Canvas, names: &mut Names, gauges: &[(&str, [i32; 2])]) {
    for (name, [x, y]) in gauges {
        canvas.disc(*x, *y, 6.0, WHITE);
        canvas.disc(*x, *y, 4.5, INK);
        canvas.disc(*x, *y, 2.0, WHITE);
        if gauges.len() <= NAMED_GAUGES {
            names.write(canvas, [*x, *y], 10, name);
        }
    }
}

/// Writes lines below each other.
pub(crate) fn write_lines(
    canvas: &mut Canvas,
    x: i32,
    y: i32,
    lines: &[String],
    lettering: &super::canvas::Lettering,
) {
    for (index, line) in (0..).zip(lines) {
        canvas.write(x, y + index * LINE, line, lettering);
    }
}

/// Number of some lines.
pub(crate) fn rows(lines: &[String]) -> i32 {
    pixels(lines.len())
}

/// A size in pixels.
pub(crate) fn pixels(size: usize) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}

/// A size of a canvas.
pub(crate) fn size(pixels: i32) -> usize {
    usize::try_from(pixels).unwrap_or(0)
}
