//! Small pictures of the tools, about 24 px wide.

use crate::hud::hand::HandTool;
use crate::hud::pen::{Pen, Px};
use ggez::graphics::Color;

/// Drawn symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Icon {
    Tool(HandTool),
    Undo,
    Redo,
}

/// Middle and size from which an icon's points are placed.
struct IconFrame {
    middle: Px,
    size: f32,
    colour: Color,
}

pub(super) fn draw(pen: &mut Pen, icon: Icon, middle: Px, size: f32, colour: Color) {
    let frame = IconFrame { middle, size, colour };
    match icon {
        Icon::Tool(tool) => frame.tool(pen, tool),
        Icon::Undo => frame.back(pen, 1.0),
        Icon::Redo => frame.back(pen, -1.0),
    }
}

impl IconFrame {
    fn at(&self, x: f32, y: f32) -> Px {
        [self.middle[0] + x * self.size, self.middle[1] + y * self.size]
    }

    fn all(&self, places: &[(f32, f32)]) -> Vec<Px> {
        places.iter().map(|&(x, y)| self.at(x, y)).collect()
    }

    fn shape(&self, pen: &mut Pen, corners: &[(f32, f32)]) {
        let corners = self.all(corners);
        pen.convex(&corners, self.colour);
        pen.stroke(&corners, 1.0, self.colour, true);
    }

    fn line(&self, pen: &mut Pen, places: &[(f32, f32)]) {
        pen.stroke(&self.all(places), 2.0, self.colour, false);
    }

    fn arrow(&self, pen: &mut Pen, from: (f32, f32), to: (f32, f32)) {
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        let long = x.hypot(y).max(1.0e-3);
        let (x, y) = (x / long * 5.0, y / long * 5.0);
        let neck = (to.0 - x, to.1 - y);
        self.line(pen, &[from, neck]);
        self.shape(
            pen,
            &[to, (neck.0 - y * 0.8, neck.1 + x * 0.8), (neck.0 + y * 0.8, neck.1 - x * 0.8)],
        );
    }

    fn tool(&self, pen: &mut Pen, tool: HandTool) {
        match tool {
            HandTool::Look => {
                for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
                    self.arrow(pen, (2.0 * x, 2.0 * y), (12.0 * x, 12.0 * y));
                }
            }
            HandTool::Raise => {
                self.shape(pen, &[(-11.0, 11.0), (0.0, 1.0), (11.0, 11.0)]);
                self.arrow(pen, (0.0, -1.0), (0.0, -12.0));
            }
            HandTool::Lower => {
                self.shape(pen, &[(-13.0, 1.0), (-7.0, 1.0), (-1.0, 11.0), (-13.0, 11.0)]);
                self.shape(pen, &[(7.0, 1.0), (13.0, 1.0), (13.0, 11.0), (1.0, 11.0)]);
                self.arrow(pen, (0.0, -11.0), (0.0, 4.0));
            }
            HandTool::Water => self.drop(pen, 0.0, 0.0, 1.0),
            HandTool::Drain => {
                self.drop(pen, 0.0, -4.0, 0.7);
                self.line(pen, &[(-11.0, 7.0), (11.0, 7.0)]);
                for x in [-7.0, 0.0, 7.0] {
                    self.line(pen, &[(x, 7.0), (x, 12.0)]);
                }
            }
            HandTool::Push => {
                self.arrow(pen, (-11.0, -6.0), (11.0, -6.0));
                self.arrow(pen, (-11.0, 6.0), (11.0, 6.0));
            }
            HandTool::Dam => {
                self.shape(pen, &[(-3.0, -9.0), (3.0, -9.0), (9.0, 10.0), (-3.0, 10.0)]);
                self.line(pen, &[(-13.0, -4.0), (-5.0, -4.0)]);
                self.line(pen, &[(-13.0, 2.0), (-5.0, 2.0)]);
                self.line(pen, &[(-13.0, 8.0), (-5.0, 8.0)]);
            }
            HandTool::Crate => self.crate_box(pen),
            HandTool::Dye => {
                self.drop(pen, -6.0, -3.0, 0.6);
                self.drop(pen, 6.0, -3.0, 0.6);
                self.drop(pen, 0.0, 6.0, 0.6);
            }
            HandTool::Source => {
                pen.ring(self.middle, 4.0 * self.size, 2.5, self.colour);
                for (x, y) in [(0.8, 0.6), (-0.8, 0.6), (0.8, -0.6), (-0.8, -0.6)] {
                    self.arrow(pen, (5.0 * x, 5.0 * y), (14.0 * x, 14.0 * y));
                }
            }
            HandTool::Gauge => {
                self.line(pen, &[(-4.0, -12.0), (-4.0, 12.0)]);
                for (index, y) in [-11.0, -6.0, -1.0, 4.0].into_iter().enumerate() {
                    self.line(pen, &[(-4.0, y), (if index % 2 == 0 { 5.0 } else { 1.0 }, y)]);
                }
                self.line(pen, &[(-12.0, 9.0), (-8.0, 7.0), (0.0, 9.0), (4.0, 7.0), (8.0, 9.0)]);
            }
            HandTool::Remove => {
                self.line(pen, &[(-8.0, -8.0), (8.0, 8.0)]);
                self.line(pen, &[(-8.0, 8.0), (8.0, -8.0)]);
                pen.ring(self.middle, 12.0 * self.size, 2.0, self.colour);
            }
        }
    }

    fn drop(&self, pen: &mut Pen, x: f32, y: f32, part: f32) {
        let round = |step: u8| {
            // From the right side of the round part down and up to the left.
            let turn = (f32::from(step) * 24.0 - 30.0).to_radians();
            (x + 8.0 * part * turn.cos(), y + part * (4.0 + 8.0 * turn.sin()))
        };
        let mut rim = vec![(x, y - 13.0 * part)];
        rim.extend((0..=10).map(round));
        self.shape(pen, &rim);
    }

    fn crate_box(&self, pen: &mut Pen) {
        let corners = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)];
        pen.stroke(&self.all(&corners), 2.0, self.colour, true);
        self.line(pen, &[(-9.0, -9.0), (9.0, 9.0)]);
        self.line(pen, &[(-9.0, 9.0), (9.0, -9.0)]);
    }

    /// Draws a bow with an arrow's head, to the left or to the right.
    fn back(&self, pen: &mut Pen, side: f32) {
        let bow = |step: u8| {
            let turn = (f32::from(step) * 20.0 - 90.0).to_radians();
            (side * 6.0 * turn.cos(), 1.0 + 6.0 * turn.sin())
        };
        let places: Vec<_> = (0..=9).map(bow).collect();
        self.line(pen, &places);
        self.shape(pen, &[(side * -6.0, -5.0), (0.0, -9.5), (0.0, -0.5)]);
    }
}
