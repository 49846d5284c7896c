//! One frame: which parts there are, and what lies over what.

use crate::hud::pen::Pen;
use crate::hud::{Hud, View, charts, help, inspector, legend, marks, notices, palette, strip};
use crate::hud::{time_line, tool_bar};

impl Hud {
    /// All that is drawn for a view. Remembers what presses on it mean.
    pub(super) fn compose(&mut self, view: &View) -> Pen {
        let mut pen = Pen::default();
        if !self.shown.nothing {
            self.compose_all(&mut pen, view);
        }
        if let Some(why) = &view.state.broken {
            pen.over();
            notices::draw_broken(&mut pen, view, why);
        }
        self.panels.clone_from(&pen.panels);
        self.buttons.clone_from(&pen.buttons);
        pen
    }

    fn compose_all(&self, pen: &mut Pen, view: &View) {
        marks::draw(pen, view);
        marks::draw_hand(pen, view, &self.hand, &self.panels);
        pen.over();
        strip::draw(pen, view, &self.clock);
        tool_bar::draw(pen, view, &self.hand);
        let bottom = time_line::draw(pen, view);
        legend::draw_scale(pen, view, bottom);
        legend::draw(pen, view, self.overlay, bottom);
        if self.shown.graphs {
            charts::draw(pen, view, bottom);
        }
        if self.shown.inspector {
            pen.over();
            inspector::draw(pen, view);
        }
        pen.over();
        if self.shown.help {
            help::draw(pen, view);
        }
        self.notices.draw(pen, view, bottom - palette::STRIP - palette::GAP);
    }
}
