//! A map for distribution: heading, map, legend, north arrow, scale bar and the origin of the map.

use kit::picture::colours::PictureColour;
use noto_sans_mono_bitmap::FontWeight;
use rasters::Grid;

use super::canvas::{
    FAINT, HEADING, INK, Lettering, MapCanvas, PLAIN, REMARK, STRONG, WHITE, pixels,
};
use super::layer::MapLayer;
use super::map::{ShadedGround, Zoom, cell_m, is_striped};
use super::names::Names;
use super::scale::Class;
use super::{backdrop, lines, wording};
use crate::outcome::FloodOutcome;

/// Space around and between the parts of a sheet, pixels.
const MARGIN: i32 = 24;
/// Width of the panel with the legend, pixels.
const PANEL: i32 = 264;
/// Height of a line of text, pixels.
const LINE: i32 = 22;
/// Height of the panel, so that a flat map has room for its legend.
const PANEL_HEIGHT: i32 = 480;
/// Distance from one key of the legend to the next.
const KEY: i32 = 26;
/// Least width of the column that contains the map, pixels.
const MAP_WIDTH_MIN: i32 = 460;
/// Lines of a title, at most.
const TITLE_LINES: usize = 3;
/// Names of gauges are written on the map up to this many; beyond, only their places are marked.
const NAMED_GAUGES: usize = 24;
/// Outline of the map and of keys.
const RIM: PictureColour = [148, 156, 167];
/// Colour of a warning.
const WARNING: PictureColour = [168, 64, 16];

/// The parts of a sheet around its map and its legend.
#[derive(Debug)]
pub(crate) struct SheetFrame<'a> {
    /// Heading.
    pub heading: &'a str,
    /// Title below the heading.
    pub title: &'a str,
    /// Warning beside the heading.
    pub warning: Option<&'a str>,
    /// Source of the map, before its scale, its reference system and the program.
    pub footer: Vec<String>,
    /// Height of the panel of the legend, pixels.
    pub panel_height: i32,
    /// Cells of the map.
    pub grid: &'a Grid,
    /// Ratio of cells to pixels.
    pub zoom: Zoom,
}

/// A sheet without its map and its legend.
#[derive(Debug)]
pub(crate) struct MapSheet {
    /// The picture.
    pub canvas: MapCanvas,
    /// North-west corner of the map.
    pub map: (i32, i32),
    /// North-west corner of the legend.
    pub legend: (i32, i32),
    /// South-east corner of the map.
    end: (i32, i32),
}

impl SheetFrame<'_> {
    /// Draws all but map and legend.
    #[must_use]
    pub fn draw(mut self) -> MapSheet {
        let (zoom, grid) = (self.zoom, self.grid);
        let map_width = pixels(zoom.pixels(grid.width));
        let map_height = pixels(zoom.pixels(grid.height));
        let column = map_width.max(MAP_WIDTH_MIN);
        let width = column + PANEL + 3 * MARGIN;
        let title = PLAIN.wrapped(self.title, width - 2 * MARGIN);
        let title = &title[..title.len().min(TITLE_LINES)];
        let footer = REMARK.wrapped(&self.sources(), width - 2 * MARGIN);

        let top = MARGIN + 34 + LINE * rows(title) + 12;
        let body = map_height.max(self.panel_height);
        let bottom = top + body + 14;
        let height = bottom + LINE * rows(&footer) + MARGIN - 6;
        let mut canvas = MapCanvas::new(size(width), size(height), WHITE);

        canvas.write(MARGIN, MARGIN - 4, self.heading, &HEADING);
        write_lines(&mut canvas, MARGIN, MARGIN + 30, title, &PLAIN);
        if let Some(text) = self.warning {
            let warning = Lettering { colour: WARNING, ..STRONG };
            canvas.write(width - MARGIN - warning.width(text), MARGIN, text, &warning);
        }
        let left = MARGIN + (column - map_width) / 2;
        canvas.outline(left - 1, top - 1, map_width + 2, map_height + 2, RIM);
        let x = width - MARGIN - PANEL;
        draw_north(&mut canvas, x + PANEL - 22, top + body - 78);
        if grid.cell_m.is_some() {
            draw_scale_bar(&mut canvas, x, top + body - 40, zoom.pixel_m(cell_m(grid)));
        }
        write_lines(&mut canvas, MARGIN, bottom, &footer, &REMARK);
        let end = (left + map_width, top + map_height);
        MapSheet { canvas, map: (left, top), legend: (x, top), end }
    }

    /// Sources of the map, in one line.
    fn sources(&mut self) -> String {
        let mut parts = std::mem::take(&mut self.footer);
        if self.zoom.reduce > 1 {
            parts.push(format!("one pixel is {0} × {0} cells", self.zoom.reduce));
        }
        parts.extend(self.grid.crs.as_ref().map(ToString::to_string));
        parts.push(format!("thalweg flood-preview {}", env!("CARGO_PKG_VERSION")));
        parts.join("  ·  ")
    }
}

impl MapSheet {
    /// Returns the room for names on the map, which leaves the places of gauges free.
    #[must_use]
    pub fn names<S>(&self, gauges: &[(S, [i32; 2])]) -> Names {
        let ((left, top), (right, bottom)) = (self.map, self.end);
        let mut names = Names::on([left, top, right, bottom]);
        gauges.iter().for_each(|(_, place)| names.keep_free(*place, 6));
        names
    }

    /// Marks gauges at their places, with their names if they are few.
    pub fn mark_gauges<S: AsRef<str>>(&mut self, names: &mut Names, gauges: &[(S, [i32; 2])]) {
        let canvas = &mut self.canvas;
        for (name, [x, y]) in gauges {
            canvas.disc(*x, *y, 6.0, WHITE);
            canvas.disc(*x, *y, 4.5, INK);
            canvas.disc(*x, *y, 2.0, WHITE);
            if gauges.len() <= NAMED_GAUGES {
                names.write(canvas, [*x, *y], 10, name.as_ref());
            }
        }
    }

    /// Returns the pixel of the centre of a cell.
    #[must_use]
    pub fn place(&self, zoom: Zoom, (column, row): (usize, usize)) -> [i32; 2] {
        [self.map.0 + zoom.centre(column), self.map.1 + zoom.centre(row)]
    }
}

/// Draws the sheet of one layer.
#[must_use]
pub fn sheet(outcome: &FloodOutcome, ground: &ShadedGround, layer: &MapLayer<'_>) -> MapCanvas {
    let zoom = ground.zoom;
    let mut sheet = SheetFrame {
        heading: layer.heading,
        title: &outcome.title,
        warning: outcome.interrupted.then_some("Stopped early: not the whole flood"),
        footer: footer(outcome),
        panel_height: PANEL_HEIGHT + if layer.has_before { KEY } else { 0 },
        grid: &outcome.grid,
        zoom,
    }
    .draw();
    ground.draw(&mut sheet.canvas, sheet.map, outcome, layer);
    let (corner, end) = (sheet.map.into(), sheet.end.into());
    backdrop::draw(&mut sheet.canvas, outcome, zoom, (corner, end));
    let gauges = outcome.gauges.iter().filter_map(|gauge| {
        let cell = outcome.grid.cell_at(gauge.x, gauge.y)?;
        Some((&*gauge.name, sheet.place(zoom, cell)))
    });
    let gauges: Vec<(&str, [i32; 2])> = gauges.collect();
    let mut names = sheet.names(&gauges);
    lines::draw(&mut sheet.canvas, &mut names, outcome, zoom, sheet.map);
    sheet.mark_gauges(&mut names, &gauges);
    backdrop::name(&mut sheet.canvas, &mut names, outcome, zoom, corner);
    draw_legend(&mut sheet, outcome, layer, zoom);
    sheet.canvas
}

/// Returns the time and cells of a run, for the footer.
fn footer(outcome: &FloodOutcome) -> Vec<String> {
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
    if let Some(backdrop) = &outcome.backdrop {
        let file = backdrop.path.file_name().unwrap_or_default();
        parts.push(format!("backdrop {}", file.to_string_lossy()));
    }
    parts
}

fn draw_legend(sheet: &mut MapSheet, outcome: &FloodOutcome, layer: &MapLayer<'_>, zoom: Zoom) {
    let mut legend = Legend::begin(sheet, layer.heading);
    for (colour, label) in layer.keys() {
        legend.key(colour, false, label);
    }
    if let (Some(_), Some(class)) = (layer.below, middle_of(&layer.scale.classes)) {
        legend.key(class.colour, true, "Hatched: below a deck or the ground");
    }
    for key in lines::keys(outcome) {
        legend.line(key);
    }
    let mut remark = layer.remark.clone();
    if zoom.reduce > 1 {
        remark += " A pixel is many cells: its colour is that of the mean of those in a class, and \
                   the paler, the fewer they are.";
    }
    legend.remark(&remark);
}

/// A legend that is being drawn, key below key.
#[derive(Debug)]
pub(crate) struct Legend<'a> {
    canvas: &'a mut MapCanvas,
    x: i32,
    y: i32,
}

impl<'a> Legend<'a> {
    /// Writes the heading.
    pub fn begin(sheet: &'a mut MapSheet, heading: &str) -> Self {
        let (x, top) = sheet.legend;
        sheet.canvas.write(x, top - 3, heading, &STRONG);
        Self { canvas: &mut sheet.canvas, x, y: top + 28 }
    }

    /// Draws a key: a colour, in stripes if the ground is seen between, and its label.
    pub fn key(&mut self, colour: PictureColour, has_stripes: bool, label: &str) {
        let (x, y) = (self.x, self.y);
        for (px, py) in (0..34).flat_map(|px| (0..20).map(move |py| (px, py))) {
            if !has_stripes || is_striped(px, py) {
                self.canvas.blend(x + px, y + py, colour, 255);
            }
        }
        self.canvas.outline(x, y, 34, 20, RIM);
        let lines = PLAIN.wrapped(label, PANEL - 46);
        write_lines(self.canvas, x + 46, y + 1, &lines, &PLAIN);
        self.y += KEY + (rows(&lines) - 1).max(0) * LINE;
    }

    /// Draws the key of a kind of line.
    fn line(&mut self, key: lines::LineKey) {
        let (x, y) = (self.x, self.y);
        lines::draw_key(self.canvas, key, [x + 1, y + 3, 32, 14]);
        self.canvas.write(x + 46, y + 1, key.label(), &PLAIN);
        self.y += KEY;
    }

    /// Writes the remark below the keys.
    pub fn remark(self, remark: &str) {
        let lines = REMARK.wrapped(remark, PANEL);
        write_lines(self.canvas, self.x, self.y + 10, &lines, &REMARK);
    }
}

/// Returns the class whose colour explains a hatching.
fn middle_of(classes: &[Class]) -> Option<&Class> {
    classes.get(classes.len() / 2)
}

/// Draws a north arrow.
fn draw_north(canvas: &mut MapCanvas, x: i32, y: i32) {
    let (tip_x, tip_y) = (f64::from(x) + 0.5, f64::from(y) + 18.0);
    let area = (x - 12, y + 16, 25, 40);
    // A dart: within half a width of its axis, and above the notch in its foot.
    let dart = move |px: f64, py: f64| {
        let (aside, down) = ((px - tip_x).abs(), py - tip_y);
        aside <= down * 0.32 && down <= 36.0 - (11.5 - aside) * 0.7
    };
    canvas.shape(area, INK, dart);
    canvas.shape(area, FAINT, |px, py| px > tip_x && dart(px, py));
    let letter = Lettering { weight: FontWeight::Bold, ..PLAIN };
    canvas.write(x - letter.width("N") / 2 + 1, y - 4, "N", &letter);
}

/// Draws a scale bar of pixels that are `pixel_m` metres wide.
fn draw_scale_bar(canvas: &mut MapCanvas, x: i32, y: i32, pixel_m: f64) {
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

/// Writes lines below each other.
fn write_lines(canvas: &mut MapCanvas, x: i32, y: i32, lines: &[String], lettering: &Lettering) {
    for (index, line) in (0..).zip(lines) {
        canvas.write(x, y + index * LINE, line, lettering);
    }
}

/// Returns the number of some lines.
fn rows(lines: &[String]) -> i32 {
    pixels(lines.len())
}

/// Returns a size of a canvas.
fn size(pixels: i32) -> usize {
    usize::try_from(pixels).unwrap_or(0)
}
