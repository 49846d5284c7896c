//! Ribbons of falling water, from the sheets of the library.

use super::pipelines::SheetNumbers;
use crate::session::Looks;

/// Largest number of pieces of ribbons of a window.
pub const SHEETS_MAX: usize = 4096;

/// Vertices of a piece: eight steps of two triangles.
pub const VERTICES: u32 = 48;

/// Returns the pieces of all ribbons, each between two neighbours of a lip. If pieces or sheets are
/// too many, every second, third or so is used. The two ends of a sheet are thin.
#[must_use]
pub fn pieces(looks: &Looks) -> Vec<SheetNumbers> {
    let half = SHEETS_MAX / 2;
    let sheets = || looks.sheets.iter().step_by(looks.sheets.len().div_ceil(half).max(1));
    let count: usize = sheets().map(|sheet| sheet.vertices.len().saturating_sub(1)).sum();
    let step = if count > SHEETS_MAX { count.div_ceil(half) } else { 1 };
    let mut pieces = Vec::new();
    for sheet in sheets() {
        let all = &looks.vertices[sheet.vertices.clone()];
        let last = all.len().saturating_sub(1);
        let mut along_m = 0.0;
        for index in (0..last).step_by(step) {
            let next = (index + step).min(last);
            let [a, b] = [all[index], all[next]];
            let from_m = along_m;
            along_m += (b.lip_m[0] - a.lip_m[0]).hypot(b.lip_m[1] - a.lip_m[1]);
            let thickness = |is_end: bool, own_m: f32| if is_end { 0.0 } else { own_m };
            let with = |[x, y, z]: [f32; 3], w: f32| [x, y, z, w];
            pieces.push(SheetNumbers {
                lip_a: with(a.lip_m, from_m),
                foot_a: with(a.foot_m, thickness(index == 0, a.thickness_m)),
                lip_b: with(b.lip_m, along_m),
                foot_b: with(b.foot_m, thickness(next == last, b.thickness_m)),
            });
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::looks::{FallVertex, Sheet};

    fn vertex(x: f32) -> FallVertex {
        FallVertex {
            lip_m: [x, 0.0, 9.0],
            foot_m: [x, 4.0, 1.0],
            velocity_m_s: [0.0, 3.0],
            thickness_m: 0.5,
            discharge_m2_s: 1.5,
        }
    }

    fn sheet(vertices: std::ops::Range<usize>) -> Sheet {
        Sheet { vertices, discharge_m3_s: 3.0, height_m: 8.0, width_m: 2.0 }
    }

    /// Goal: of too many pieces or sheets some remain everywhere, and each ribbon keeps its ends.
    #[test]
    fn too_many_pieces_are_thinned_evenly() {
        for (sheets, each) in [(1, 9000_usize), (100, 90), (3000, 4), (10_000, 3)] {
            let count = u16::try_from(sheets * each).expect("few");
            let looks = Looks {
                vertices: (0..count).map(f32::from).map(vertex).collect(),
                sheets: (0..sheets).map(|at| sheet(at * each..(at + 1) * each)).collect(),
                ..Looks::default()
            };
            let pieces = pieces(&looks);
            let name = format!("{sheets} sheets of {each}: {}", pieces.len());
            assert!((SHEETS_MAX / 4..=SHEETS_MAX).contains(&pieces.len()), "{name}");
            let from = pieces.iter().filter(|piece| piece.foot_a[3] <= 0.0).count();
            let to = pieces.iter().filter(|piece| piece.foot_b[3] <= 0.0).count();
            assert_eq!(from, to, "{name}");
            let last = pieces[pieces.len() - 1].lip_b[0];
            assert!(last > 0.98 * f32::from(count), "{name}: up to {last}");
        }
    }

    #[test]
    fn a_ribbon_has_a_piece_between_each_two_and_thin_ends() {
        let looks = Looks {
            vertices: [0.0, 0.5, 1.5, 2.0, 7.0, 7.5, 8.0].map(vertex).to_vec(),
            sheets: vec![sheet(0..4), sheet(4..7)],
            ..Looks::default()
        };
        let pieces = pieces(&looks);
        assert_eq!(pieces.len(), 5);
        let ends = pieces.iter().map(|piece| [piece.foot_a[3], piece.foot_b[3]]);
        let expected = [[0.0, 0.5], [0.5, 0.5], [0.5, 0.0], [0.0, 0.5], [0.5, 0.0]];
        assert!(ends.eq(expected), "{pieces:?}");
        assert_eq!((pieces[2].lip_a[3], pieces[2].lip_b[3], pieces[3].lip_a[3]), (1.5, 2.0, 0.0));
    }
}
