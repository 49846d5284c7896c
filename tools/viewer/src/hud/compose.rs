//! Composition of one frame: its parts and their order from bottom to top.

use crate::hud::pen::Pen;
use crate::hud::{
    DisplayView, Hud, charts, help, inspector, legend, marks, notices, palette, strip, time_line,
    tool_bar,
};

/// Size below which a window shows less.
const SMALL_PX: [f32; 2] = [720.0, 480.0];

/// Calls with a view whose pixels are points, each `scale` pixels of the screen wide.
pub(super) fn in_points<T>(
    view: &DisplayView,
    scale: f32,
    call: impl FnOnce(&DisplayView) -> T,
) -> T {
    let points = |at: [f32; 2]| at.map(|pixels| pixels / scale);
    let project = |at_m| points((view.project)(at_m));
    call(&DisplayView {
        size_px: points(view.size_px),
        pointer_px: points(view.pointer_px),
        metres_per_px: view.metres_per_px * f64::from(scale),
        project: &project,
        ..*view
    })
}

impl Hud {
    /// Composes the display for a view, and keeps the effect of a press on each part.
    pub(super) fn compose(&mut self, view: &DisplayView) -> Pen {
        in_points(view, self.scale, |view| self.compose_points(view))
    }

    fn compose_points(&mut self, view: &DisplayView) -> Pen {
        let mut pen = Pen::default();
        let is_small = (0..2).any(|i| view.size_px[i] < SMALL_PX[i]);
        match (self.shown.nothing, is_small) {
            (true, _) => {}
            (false, true) => self.compose_least(&mut pen, view),
            (false, false) => self.compose_all(&mut pen, view),
        }
        if let Some(why) = &view.state.broken {
            pen.over();
            notices::draw_broken(&mut pen, view, why);
        }
        self.panels.clone_from(&pen.panels);
        self.buttons.clone_from(&pen.buttons);
        pen
    }

    /// Composes the parts that fit into a small window, such as a film's: no tools, no charts.
    fn compose_least(&self, pen: &mut Pen, view: &DisplayView) {
        marks::draw(pen, view, &self.panels);
        pen.over();
        strip::draw_small(pen, view);
        let bottom = view.size_px[1] - palette::GAP;
        let top = legend::draw(pen, view, (self.overlay, self.cut.height_m()), bottom);
        self.notices.draw(pen, view, (0.0, view.size_px[0]), top - palette::GAP);
    }

    fn compose_all(&self, pen: &mut Pen, view: &DisplayView) {
        marks::draw(pen, view, &self.panels);
        marks::draw_hand(pen, view, &self.hand, &self.panels);
        pen.over();
        strip::draw(pen, view, &self.clock);
        let charts = if self.shown.graphs { charts::WIDE + palette::GAP } else { 0.0 };
        let right = view.size_px[0] - charts - palette::GAP;
        tool_bar::draw(pen, view, &self.hand, right);
        let bottom = time_line::draw(pen, view);
        legend::draw_scale(pen, view, bottom);
        let legend_top = legend::draw(pen, view, (self.overlay, self.cut.height_m()), bottom);
        if self.shown.graphs {
            charts::draw(pen, view, legend_top - palette::GAP);
        }
        if self.shown.inspector {
            pen.over();
            inspector::draw(pen, view);
        }
        pen.over();
        let right = right.min(view.size_px[0] - legend::WIDE - 2.0 * palette::GAP);
        let sides = (tool_bar::WIDE + 3.0 * palette::GAP, right - palette::GAP);
        self.notices.draw(pen, view, sides, bottom - 40.0);
        if self.shown.help {
            pen.over();
            help::draw(pen, view);
        }
    }
}
