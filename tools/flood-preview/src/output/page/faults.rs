//! Terrain to check: the faults of the heightmap that decide most of the event.

use std::fmt::Write;

use super::super::faults::{counts, mend, name, place as coordinates};
use super::super::wording;
use super::markup::{escaped, figure};
use super::place;
use crate::faults::FaultKind;
use crate::outcome::{FloodOutcome, TerrainFault};

/// Most rows of the table.
const ROWS: usize = 20;

/// Returns the table, the text of the culverts that are missing, and a count of the rest.
#[must_use]
pub fn faults(outcome: &FloodOutcome) -> String {
    let decisive = outcome.faults.iter().filter(|fault| fault.is_decisive());
    let shown: Vec<&TerrainFault> = decisive.take(ROWS).collect();
    let mut html = String::new();
    if !shown.is_empty() {
        html += "<div class=\"scroll\" role=\"region\" aria-label=\"Table: Terrain to check\" \
                 tabindex=\"0\"><table class=\"ledger faults\"><thead><tr>\
                 <th scope=\"col\">Fault</th><th scope=\"col\">Where</th>\
                 <th scope=\"col\">Size</th>\
                 <th scope=\"col\">Water of the event</th><th scope=\"col\">What to do</th>\
                 </tr></thead><tbody>";
        shown.iter().for_each(|fault| html += &row(outcome, fault));
        html += "</tbody></table></div>";
    }
    html + &culverts(outcome, &shown) + &rest(outcome, shown.len())
}

fn row(outcome: &FloodOutcome, wet: &TerrainFault) -> String {
    let fault = &wet.fault;
    let (column, row) = fault.cell;
    let where_at = place::words(outcome, fault.cell);
    let area = wording::covered(outcome, fault.cells.len());
    let percent = percent(wet.part);
    let (size, water) = if fault.kind.is_hollow() {
        let held = figure(Some(wet.held_m3), 0, "m³");
        let depth = wording::depth(fault.depth_m.into());
        (format!("{area}, {depth} deep"), format!("holds {held}, {percent} of all"))
    } else {
        let flooded = wording::covered(outcome, wet.flooded);
        let level = figure(Some(fault.level_m.into()), 2, "m");
        (format!("{area} at {level}"), format!("{flooded} flooded, {percent} of all"))
    };
    let name = escaped(name(fault.kind));
    let mut html = format!("<tr><th scope=\"row\">{name}</th>");
    let _ = write!(
        html,
        "<td>{} <button type=\"button\" class=\"live link\" data-layer=\"max_depth\" \
         data-cell=\"{column},{row}\" aria-label=\"Show on the map: {name}\">Show on the \
         map</button></td>",
        escaped(&where_at)
    );
    for cell in [size, water, mend(outcome, fault)] {
        let _ = write!(html, "<td>{}</td>", escaped(&cell));
    }
    html + "</tr>"
}

/// Returns the sections of a scenario for the culverts that are missing.
fn culverts(outcome: &FloodOutcome, shown: &[&TerrainFault]) -> String {
    let dams = shown.iter().filter(|wet| wet.fault.kind == FaultKind::Dam);
    let mut text = String::new();
    for (number, dam) in (1..).zip(dams) {
        let Some(to) = dam.fault.to else { continue };
        let [from, to] = [dam.fault.cell, to].map(|end| coordinates(&outcome.grid, end));
        let _ = write!(
            text,
            "[[culvert]]\nname = \"missing culvert {number}\"\nfrom = [{}, {}]\nto = [{}, {}]\n\
             diameter = \"1m\"\n\n",
            from[0], from[1], to[0], to[1]
        );
    }
    match text.trim_end() {
        "" => String::new(),
        text => format!(
            "<p class=\"faint\">Culverts for the scenario, each with the diameter, or the box = \
             [width, height], that it has in the world:</p><pre>{}</pre>",
            escaped(text)
        ),
    }
}

/// Returns the number of faults, listed or not, in words.
fn rest(outcome: &FloodOutcome, shown: usize) -> String {
    let counts: Vec<String> =
        counts(outcome).iter().map(|(name, count)| format!("{count} × {name}")).collect();
    let told = if shown == 0 { "None decides where much of the water is" } else { "All found" };
    format!(
        "<p class=\"faint\">{told}: {} (terrain_faults.csv). They were sought in the heights \
         alone: what looks like a fault may be a quarry, a pond or a weir.</p>",
        escaped(&counts.join(", "))
    )
}

/// Returns a part in percent.
fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}
