//! Light of the sun and of the sky on each cell of a window, and openness of its water.
//!
//! ```text
//! H(p) = max(z(p), H(p + step towards the sun) − step tan α)
//! ```
//!
//! One sweep away from the sun gives the shadow's upper side H for all cells. A cell in a hollow
//! receives less light of the sky, by its depth below the mean of its surroundings. The openness of
//! water is the share of water around it: wind makes no waves on a brook.
//!
//! Limits: nothing outside of the window throws a shadow; the sky is a mean of two distances.

/// Distances over which the sky is hidden, m, and that of open water.
const HOLLOWS_M: [f32; 2] = [12.0, 90.0];
const OPEN_M: f32 = 70.0;

/// Cells of a window, row by row.
pub struct LitGround<'a> {
    /// Columns and rows.
    pub size: [usize; 2],
    /// Width of a cell, m.
    pub cell_m: f32,
    /// Elevation of the visible surface, m.
    pub tops_m: &'a [f32],
    /// Whether a cell is under water.
    pub is_wet: &'a [bool],
}

/// Returns the light of the sun, the light of the sky and the openness of each cell, × 255.
#[must_use]
pub fn cast(ground: &LitGround<'_>, toward_sun: [f32; 3]) -> Vec<[u8; 3]> {
    let shadow_m = shadows(ground, toward_sun);
    let [near, far] = HOLLOWS_M.map(|reach_m| means(ground.tops_m, ground, reach_m));
    let wet: Vec<f32> = ground.is_wet.iter().map(|is| f32::from(u8::from(*is))).collect();
    let open = means(&wet, ground, OPEN_M);
    let soft_m = 0.3 + 0.5 * ground.cell_m * toward_sun[2];
    let cell = |index: usize| {
        let top = ground.tops_m[index];
        let over = ((shadow_m[index] - top) / soft_m - 0.1).clamp(0.0, 1.0);
        let sun = 1.0 - over * over * (3.0 - 2.0 * over);
        let hollow = |mean: f32, reach_m: f32, weight: f32| {
            1.0 / (1.0 + weight * (mean - top).max(0.0) / reach_m.max(2.0 * ground.cell_m))
        };
        let sky = hollow(near[index], HOLLOWS_M[0], 2.2) * hollow(far[index], HOLLOWS_M[1], 2.2);
        [sun, sky, open[index]].map(byte)
    };
    (0..shadow_m.len()).map(cell).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn byte(part: f32) -> u8 {
    (255.0 * part.clamp(0.0, 1.0) + 0.5) as u8
}

/// Returns the elevation up to which the shadow of ground towards the sun reaches, m.
fn shadows(ground: &LitGround<'_>, [east, north, up]: [f32; 3]) -> Vec<f32> {
    let [width, height] = ground.size;
    let mut shadow = vec![f32::NEG_INFINITY; width * height];
    let level = east.hypot(north);
    if level < 1e-3 {
        return shadow;
    }
    // The sweep runs by columns or by rows, against the greater part of the sun's direction.
    let by_columns = east.abs() >= north.abs();
    let (main, side) = if by_columns { (east, north) } else { (north, east) };
    let (lines, along) = if by_columns { (width, height) } else { (height, width) };
    let place = |line: usize, index: usize| {
        if by_columns { index * width + line } else { line * width + index }
    };
    let slant = side / main.abs();
    let drop = ground.cell_m * slant.hypot(1.0) * up / level;
    let mut before: Vec<f32> = Vec::new();
    for step in 0..lines {
        let line = if main > 0.0 { lines - 1 - step } else { step };
        let now = (0..along).map(|index| {
            let cell = place(line, index);
            if !before.is_empty() {
                let next = index.saturating_add_signed(if slant > 0.0 { 1 } else { -1 });
                let beside = before[next.min(along - 1)];
                shadow[cell] = before[index] + slant.abs() * (beside - before[index]) - drop;
            }
            ground.tops_m[cell].max(shadow[cell])
        });
        before = now.collect();
    }
    shadow
}

/// Returns means over squares, `reach_m` each way; at the border over the part inside.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few cells")]
fn means(values: &[f32], ground: &LitGround<'_>, reach_m: f32) -> Vec<f32> {
    let [width, height] = ground.size;
    let reach = (reach_m / ground.cell_m).round().clamp(1.0, 64.0) as usize;
    let mut rows = vec![0.0; values.len()];
    for (from, to) in values.chunks_exact(width).zip(rows.chunks_exact_mut(width)) {
        running(from.iter().copied(), reach, |index, mean| to[index] = mean);
    }
    // All columns at once, a row at a time.
    let mut sums = vec![0.0_f64; width];
    let mut all = vec![0.0; values.len()];
    let row = |y: usize| &rows[y * width..(y + 1) * width];
    for y in 0..height + reach {
        if y < height {
            sums.iter_mut().zip(row(y)).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        if let Some(gone) = y.checked_sub(2 * reach + 1) {
            sums.iter_mut().zip(row(gone)).for_each(|(sum, value)| *sum -= f64::from(*value));
        }
        if let Some(middle) = y.checked_sub(reach).filter(|middle| *middle < height) {
            let count = (y.min(height - 1) + 1 - middle.saturating_sub(reach)) as f64;
            let to = &mut all[middle * width..(middle + 1) * width];
            to.iter_mut().zip(&sums).for_each(|(to, sum)| *to = (sum / count) as f32);
        }
    }
    all
}

/// Computes running means of a row.
#[expect(clippy::cast_possible_truncation, reason = "means of f32")]
fn running(
    row: impl ExactSizeIterator<Item = f32> + Clone,
    reach: usize,
    mut put: impl FnMut(usize, f32),
) {
    let count = row.len();
    let (mut sum, mut gone) = (0.0_f64, row.clone());
    let mut coming = row;
    for index in 0..count + reach {
        sum += f64::from(coming.next().unwrap_or(0.0));
        if index > 2 * reach {
            sum -= f64::from(gone.next().unwrap_or(0.0));
        }
        if let Some(middle) = index.checked_sub(reach) {
            let cells = index.min(count - 1) + 1 - middle.saturating_sub(reach);
            put(middle, (sum / cells as f64) as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_throws_its_shadow_away_from_the_sun() {
        let size = [64, 48];
        let mut tops = vec![0.0; 64 * 48];
        tops.iter_mut().skip(30).step_by(64).for_each(|top| *top = 10.0);
        let is_wet = vec![false; tops.len()];
        let ground = LitGround { size, cell_m: 1.0, tops_m: &tops, is_wet: &is_wet };
        // The sun in the east, at 45°: ten cells of shadow in the west.
        let light = cast(&ground, [0.707, 0.0, 0.707]);
        let row = &light[20 * 64..21 * 64];
        assert_eq!((row[25][0], row[15][0], row[35][0]), (0, 255, 255));
        let light = cast(&ground, [-0.707, 0.0, 0.707]);
        let row = &light[20 * 64..21 * 64];
        assert_eq!((row[25][0], row[35][0], row[45][0]), (255, 0, 255));
        assert!(row[29][1] < row[2][1], "beside a wall there is less sky");
    }

    #[test]
    fn means_are_those_of_the_squares() {
        let size = [9, 7];
        let values: Vec<f32> = (0..63_u8).map(|index| f32::from(index % 13)).collect();
        let is_wet = vec![false; 63];
        let ground = LitGround { size, cell_m: 1.0, tops_m: &values, is_wet: &is_wet };
        let found = means(&values, &ground, 2.0);
        for (x, y) in [(0, 0), (4, 3), (8, 6), (1, 5)] {
            let near = |at: usize, count: usize| at.saturating_sub(2)..(at + 3).min(count);
            let cells: Vec<f32> = near(y, 7)
                .flat_map(|y| near(x, 9).map(move |x| y * 9 + x))
                .map(|cell| values[cell])
                .collect();
            let mean = cells.iter().sum::<f32>() / cells.len() as f32;
            assert!((found[y * 9 + x] - mean).abs() < 1e-4, "{x} {y}");
        }
    }
}
