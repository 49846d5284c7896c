//! Tunnels and bridges on the map: lines, the outlines of decks, and the water below.

use rasters::Grid;

/// Greatest distance of a corner from its outline, half widths.
const MITRE_MOST: f64 = 2.0;

/// A tunnel or a bridge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MappedRock {
    /// `tunnel` or `bridge`.
    pub kind: &'static str,
    /// Name, as given by the user.
    pub name: String,
    /// Corners of its line in the grid's CRS.
    pub path: Vec<[f64; 2]>,
    /// Corners of its deck, closed, in the grid's CRS; none of a tunnel.
    pub outline: Vec<[f64; 2]>,
}

/// The highest water below the open ground of each cell; NaN if a cell has no interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WaterBelow {
    /// Largest depth of the interval that was deepest, m; 0 if all stayed dry.
    pub max_depth_m: Vec<f32>,
    /// Highest stage of that interval, or head if it was full, m above the datum; its bed if all
    /// stayed dry.
    pub max_stage_m: Vec<f32>,
}

impl MappedRock {
    /// Returns a rock along `path`, with a deck of a width, m, if it has one; a deck is as wide as
    /// a cell of `grid` at least.
    #[must_use]
    pub fn new(
        kind: &'static str,
        name: &str,
        path: Vec<[f64; 2]>,
        deck_m: Option<f64>,
        grid: &Grid,
    ) -> Self {
        let (cell_x, cell_y) = grid.cell_m.unwrap_or((1.0, 1.0));
        let by = [cell_x / grid.step_x, cell_y / grid.step_y];
        let metres = |at: &[f64; 2]| [0, 1].map(|i| at[i] * by[i]);
        let outline = deck_m.map_or_else(Vec::new, |width_m| {
            let line: Vec<[f64; 2]> = path.iter().map(metres).collect();
            around(line, 0.5 * width_m.max(cell_x))
        });
        let outline = outline.into_iter().map(|at| [0, 1].map(|i| at[i] / by[i])).collect();
        Self { kind, name: name.to_owned(), path, outline }
    }
}

/// Returns the outline of a band of half a width along a line, closed: flat at the ends.
fn around(mut line: Vec<[f64; 2]>, half: f64) -> Vec<[f64; 2]> {
    line.dedup();
    if line.len() < 2 {
        return Vec::new();
    }
    // Normals point to the left of each segment.
    let normals: Vec<[f64; 2]> = line
        .windows(2)
        .map(|ends| {
            let [x, y] = [0, 1].map(|i| ends[1][i] - ends[0][i]);
            let length = x.hypot(y);
            [-y / length, x / length]
        })
        .collect();
    let offset = |corner: usize| {
        let (before, behind) = (corner.saturating_sub(1), corner.min(normals.len() - 1));
        let sum = [0, 1].map(|i| normals[before][i] + normals[behind][i]);
        let length = sum[0].hypot(sum[1]).max(f64::MIN_POSITIVE);
        // The sum is twice the cosine of half the turn long.
        let far = (2.0 / length).min(MITRE_MOST) * half;
        sum.map(|part| part / length * far)
    };
    let side = |sign: f64| {
        let at = move |corner: usize, at: &[f64; 2]| {
            let by = offset(corner);
            [0, 1].map(|i| at[i] + sign * by[i])
        };
        line.iter().enumerate().map(|(corner, place)| at(corner, place)).collect::<Vec<_>>()
    };
    let mut all = side(1.0);
    all.extend(side(-1.0).into_iter().rev());
    all.push(all[0]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deck_lies_on_both_sides_of_its_line() {
        let grid = Grid::metric((40, 30), (0.0, 30.0), 1.0);
        let path = vec![[2.0, 5.0], [12.0, 5.0], [12.0, 15.0]];
        let deck = MappedRock::new("bridge", "b", path.clone(), Some(4.0), &grid);
        let expected = [
            [2.0, 7.0],
            [10.0, 7.0],
            [10.0, 15.0],
            [14.0, 15.0],
            [14.0, 3.0],
            [2.0, 3.0],
            [2.0, 7.0],
        ];
        assert_eq!(deck.outline.len(), expected.len());
        for (found, expected) in deck.outline.iter().zip(expected) {
            let off = (found[0] - expected[0]).hypot(found[1] - expected[1]);
            assert!(off < 1.0e-9, "{found:?}, expected {expected:?}");
        }
        assert!(MappedRock::new("tunnel", "t", path, None, &grid).outline.is_empty());
    }
}
