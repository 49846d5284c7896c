//! From what was asked for to a link of the simulation: every number is checked here.

use crate::sim::Simulation;
use crate::sim::links::{Link as Made, LinkEnd, LinkLaw};
use crate::structure;
use crate::structure::Section;
use crate::structure::culvert::Shape;
use crate::units::{CEILING, VerticalScale};
use crate::world::LinkError;
use crate::world::links::{Culvert, Drain, Link, Pump, cell_at};
use crate::world::site::Site;

/// Where links are made for.
pub(super) struct LinkPlan<'a> {
    simulation: &'a Simulation,
    site: &'a Site,
    scale: VerticalScale,
    cell_width_m: f64,
    size_m: [f64; 2],
}

/// Checks the numbers of one link.
struct Checked<'a> {
    name: &'a str,
    scale: VerticalScale,
}

impl Checked<'_> {
    fn number(
        &self,
        what: &'static str,
        value: f64,
        [least, most]: [f64; 2],
        range: &'static str,
    ) -> Result<f64, LinkError> {
        let fail = || LinkError::Number { name: self.name.to_owned(), what, value, range };
        (least..=most).contains(&value).then_some(value).ok_or_else(fail)
    }

    /// Units above the datum of an elevation, m.
    fn elevation(&self, metres: f64) -> Result<i32, LinkError> {
        let reason = |reason| LinkError::Elevation { name: self.name.to_owned(), reason };
        self.scale.elevation(metres, self.scale.exponent()).map_err(reason)
    }

    /// The same as metres above the datum.
    fn above_datum(&self, metres: f64) -> Result<f64, LinkError> {
        Ok(f64::from(self.elevation(metres)?) * self.scale.unit_m())
    }

    fn section(&self, section: Section) -> Result<(), LinkError> {
        let size = |what, value| self.number(what, value, [0.001, 100.0], "0.001 to 100 m");
        match section {
            Section::Circle { diameter_m } => size("its diameter", diameter_m)?,
            Section::Box { width_m, height_m } => {
                size("its width", width_m)?;
                size("its height", height_m)?
            }
        };
        Ok(())
    }

    fn curve(&self, curve: &[(f64, f64)]) -> Result<(), LinkError> {
        let fail = |point| LinkError::Curve { name: self.name.to_owned(), point };
        if curve.is_empty() {
            return Err(fail(None));
        }
        for &(head_m, rate) in curve {
            let range = "-10000 to 10000 m";
            self.number("a height of its curve", head_m, [-1.0e4, 1.0e4], range)?;
            self.number("a discharge of its curve", rate, [0.0, 1.0e5], "0 to 100000 m³/s")?;
        }
        let falls = curve.windows(2).position(|pair| pair[0].0 >= pair[1].0);
        falls.map_or(Ok(()), |first| Err(fail(Some(first + 2))))
    }
}

impl<'a> LinkPlan<'a> {
    /// Links of this simulation, on so many columns and rows.
    #[expect(clippy::cast_precision_loss, reason = "2²⁰ cells a side")]
    pub(super) fn of(
        (simulation, site): (&'a Simulation, &'a Site),
        scale: VerticalScale,
        (columns, rows): (usize, usize),
    ) -> Self {
        let cell_width_m = simulation.cell_width_m();
        let size_m = [columns, rows].map(|cells| cells as f64 * cell_width_m);
        Self { simulation, site, scale, cell_width_m, size_m }
    }

    /// A link of the simulation, at rest.
    pub(super) fn make(&self, number: u32, link: &Link) -> Result<Made, LinkError> {
        let checked = Checked { name: link.name(), scale: self.scale };
        match link {
            Link::Culvert(culvert) => self.culvert(number, culvert, &checked),
            Link::Pump(pump) => self.pump(number, pump, &checked),
            Link::Drain(drain) => self.drain(number, drain, &checked),
        }
    }

    /// Checks that a new culvert does not hang in the air.
    pub(super) fn check_ground(&self, link: &Link, made: &Made) -> Result<(), LinkError> {
        let (Link::Culvert(culvert), Some(to)) = (link, &made.to) else { return Ok(()) };
        let height_m = culvert.section.height_m();
        let ends = [
            (&made.from, culvert.from_invert_m, culvert.from),
            (to, culvert.to_invert_m, culvert.to),
        ];
        for (end, invert_m, point) in ends {
            let found = self.simulation.forest().locate(end.place);
            let (leaf, cell) = found.expect("a link that was made lies inside");
            let bed_m = self.scale.metres(self.simulation.ground(leaf).bed[cell]);
            if invert_m > bed_m + height_m {
                let name = culvert.name.clone();
                return Err(LinkError::AboveGround { name, invert_m, bed_m, height_m, point });
            }
        }
        Ok(())
    }

    fn culvert(
        &self,
        number: u32,
        culvert: &Culvert,
        checked: &Checked<'_>,
    ) -> Result<Made, LinkError> {
        let Culvert { from, to, section, manning_n, inlet_loss, outlet_loss, .. } = *culvert;
        checked.section(section)?;
        checked.number("Manning's n", manning_n, [0.0, 1.0], "0 to 1, usually 0.01 to 0.03")?;
        let losses = [("its inlet loss", inlet_loss), ("its outlet loss", outlet_loss)];
        for (what, loss) in losses {
            checked.number(what, loss, [0.0, 100.0], "0 to 100, usually 0.2 to 1")?;
        }
        let inverts = [culvert.from_invert_m, culvert.to_invert_m];
        let ends = [
            self.end(checked, from, checked.elevation(inverts[0])?)?,
            self.end(checked, to, checked.elevation(inverts[1])?)?,
        ];
        self.check_apart(checked, ends)?;
        let inverts_m = [checked.above_datum(inverts[0])?, checked.above_datum(inverts[1])?];
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let fall = inverts_m[0] - inverts_m[1];
        let straight = (dx * dx + dy * dy + fall * fall).sqrt();
        let length_m = culvert.length_m.unwrap_or(straight);
        checked.number("its length", length_m, [0.001, 1.0e6], "0.001 to 1000000 m")?;
        let law = LinkLaw::Culvert(Box::new(structure::Culvert::new(Shape {
            section,
            length_m,
            manning_n,
            inlet_loss,
            outlet_loss,
            inverts_m,
            has_flap: culvert.has_flap,
            gravity: self.simulation.settings().gravity,
        })));
        Ok(Made::new(number, law, ends[0], Some(ends[1])))
    }

    fn pump(&self, number: u32, pump: &Pump, checked: &Checked<'_>) -> Result<Made, LinkError> {
        checked.curve(&pump.curve)?;
        let on_m = checked.above_datum(pump.on_stage_m)?;
        let off_m = checked.above_datum(pump.off_stage_m)?;
        let outlet_m = pump.outlet_m.map(|metres| checked.above_datum(metres)).transpose()?;
        let from = self.end(checked, pump.from, -CEILING)?;
        let to = pump.to.map(|point| self.end(checked, point, -CEILING)).transpose()?;
        if let Some(to) = to {
            self.check_apart(checked, [from, to])?;
        }
        let fail = || LinkError::Hysteresis {
            name: pump.name.clone(),
            on_m: pump.on_stage_m,
            off_m: pump.off_stage_m,
        };
        let law = structure::Pump::try_new(pump.curve.clone(), [on_m, off_m], outlet_m);
        Ok(Made::new(number, LinkLaw::Pump(law.ok_or_else(fail)?), from, to))
    }

    fn drain(&self, number: u32, drain: &Drain, checked: &Checked<'_>) -> Result<Made, LinkError> {
        let Drain { place, area_m2, perimeter_m, rim_m, .. } = *drain;
        checked.number("its area", area_m2, [1.0e-6, 1.0e6], "0.000001 to 1000000 m²")?;
        checked.number("its perimeter", perimeter_m, [0.001, 1.0e5], "0.001 to 100000 m")?;
        let rim = rim_m.map_or(Ok(-CEILING), |metres| checked.elevation(metres))?;
        let from = self.end(checked, place, rim)?;
        let gravity = self.simulation.settings().gravity;
        let law = LinkLaw::Drain(structure::Drain { area_m2, perimeter_m, gravity });
        Ok(Made::new(number, law, from, None))
    }

    /// An end at a point on ground.
    fn end(&self, checked: &Checked<'_>, point: [f64; 2], sill: i32) -> Result<LinkEnd, LinkError> {
        let inside = cell_at(point, self.cell_width_m).filter(|&place| {
            let found = || self.simulation.forest().locate(place);
            let is_in_leaf =
                || found().is_some_and(|(leaf, cell)| self.simulation.ground(leaf).is_inside(cell));
            self.site.is_ground(place).unwrap_or_else(is_in_leaf)
        });
        let (name, size_m) = (checked.name, self.size_m);
        let fail = || LinkError::Outside { name: name.to_owned(), point, size_m };
        inside.map(|place| LinkEnd::new(place, sill)).ok_or_else(fail)
    }

    fn check_apart(&self, checked: &Checked<'_>, ends: [LinkEnd; 2]) -> Result<(), LinkError> {
        let (name, cell_width_m) = (checked.name.to_owned(), self.cell_width_m);
        let is_apart = ends[0].place != ends[1].place;
        is_apart.then_some(()).ok_or(LinkError::SameCell { name, cell_width_m })
    }
}
