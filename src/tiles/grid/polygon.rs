//! Polygons on the map.

/// A place on the map: metres east and north of the world's south-west corner.
pub type PointM = [f64; 2];

/// Returns two sides of a polygon, by their first corners, that meet elsewhere than in the corner
/// between them; of several such pairs the westernmost.
#[must_use]
pub fn first_crossing(corners: &[[f64; 2]]) -> Option<(usize, usize)> {
    let count = corners.len();
    let side = |i: usize| (corners[i], corners[(i + 1) % count]);
    let reach = |i: usize| {
        let (a, b) = side(i);
        (a[0].min(b[0]), a[0].max(b[0]))
    };
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_unstable_by(|&a, &b| reach(a).0.total_cmp(&reach(b).0));
    for (rank, &i) in order.iter().enumerate() {
        // Sides are sorted by their west ends: the first one that begins east of this one's end
        // cannot meet it, nor can any behind it.
        let near = order[rank + 1..].iter().take_while(|&&j| reach(j).0 <= reach(i).1);
        for &j in near {
            let (first, second) = (i.min(j), i.max(j));
            let is_next = second == first + 1;
            let is_last = first == 0 && second + 1 == count;
            // Sides beside each other always share a corner: they meet elsewhere only if one folds
            // back.
            let meet = match (is_next, is_last) {
                (true, _) => folds_back(side(first), side(second)),
                (_, true) => folds_back(side(second), side(first)),
                _ => sides_meet(side(first), side(second)),
            };
            if meet {
                return Some((first, second));
            }
        }
    }
    None
}

type PolygonSide = ([f64; 2], [f64; 2]);

/// Returns twice the area of a triangle, positive if it turns left.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// True if the second side runs back over the first, or one of them is a point.
fn folds_back((a, b): PolygonSide, (_, c): PolygonSide) -> bool {
    let (first, second) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
    let dot = |u: [f64; 2], v: [f64; 2]| u[0] * v[0] + u[1] * v[1];
    let is_point = dot(first, first) == 0.0 || dot(second, second) == 0.0;
    is_point || (turn(a, b, c) == 0.0 && dot(first, second) < 0.0)
}

/// True if two sides share a point.
fn sides_meet((a, b): PolygonSide, (c, d): PolygonSide) -> bool {
    let boxes =
        (0..2).all(|i| a[i].min(b[i]) <= c[i].max(d[i]) && c[i].min(d[i]) <= a[i].max(b[i]));
    let (ac, ad) = (turn(a, b, c), turn(a, b, d));
    let (ca, cb) = (turn(c, d, a), turn(c, d, b));
    let is_between = |u: f64, v: f64| (u <= 0.0 && v >= 0.0) || (u >= 0.0 && v <= 0.0);
    // If the sides are on one straight line, all four turns are 0, and the boxes alone decide.
    boxes && is_between(ac, ad) && is_between(ca, cb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_that_meet_are_found() {
        let check = |corners: &[[f64; 2]], expected| {
            assert_eq!(first_crossing(corners), expected, "{corners:?}");
        };
        check(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]], None);
        check(&[[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [0.0, 4.0]], None);
        check(&[[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]], Some((0, 2)));
        // A side that runs back over another ends on it.
        check(&[[0.0, 0.0], [4.0, 0.0], [1.0, 0.0], [0.0, 4.0]], Some((0, 2)));
        check(&[[0.0, 0.0], [0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], Some((0, 1)));
        // A corner on another side.
        check(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 0.0], [0.0, 4.0]], Some((0, 3)));
    }
}
