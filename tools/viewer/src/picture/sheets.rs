//! Ribbons of falling water, from the sheets of the library.

use super::pipelines::SheetNumbers;
use crate::session::Looks;

/// Most pieces of ribbons of a frame.
pub const SHEETS_MAX: usize = 4096;

/// Vertices of a piece: eight steps of two triangles.
pub const VERTICES: u32 = 48;

/// Pieces of all ribbons: each between two neighbours of a lip. The two ends of a sheet are thin.
#[must_use]
pub fn pieces(looks: &Looks) -> Vec<SheetNumbers> {
    let mut pieces = Vec::new();
    for sheet in &looks.sheets {
        let all = &looks.vertices[sheet.vertices.clone()];
        let mut along_m = 0.0;
        for (index, pair) in all.windows(2).enumerate() {
            let [a, b] = [pair[0], pair[1]];
            let from_m = along_m;
            along_m += (b.lip_m[0] - a.lip_m[0]).hypot(b.lip_m[1] - a.lip_m[1]);
            let thickness = |is_end: bool, own_m: f32| if is_end { 0.0 } else { own_m };
            let with = |[x, y, z]: [f32; 3], w: f32| [x, y, z, w];
            pieces.push(SheetNumbers {
                lip_a: with(a.lip_m, from_m),
                foot_a: with(a.foot_m, thickness(index == 0, a.thickness_m)),
                lip_b: with(b.lip_m, along_m),
                foot_b: with(b.foot_m, thickness(index + 2 == all.len(), b.thickness_m)),
            });
        }
    }
    pieces.truncate(SHEETS_MAX);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::looks::{FallVertex, Sheet};

    #[test]
    fn a_ribbon_has_a_piece_between_each_two_and_thin_ends() {
        let vertex = |x: f32| FallVertex {
            lip_m: [x, 0.0, 9.0],
            foot_m: [x, 4.0, 1.0],
            velocity_m_s: [0.0, 3.0],
            thickness_m: 0.5,
            discharge_m2_s: 1.5,
        };
        let sheet = |vertices| Sheet { vertices, discharge_m3_s: 3.0, height_m: 8.0, width_m: 2.0 };
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
