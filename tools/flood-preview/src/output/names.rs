//! Names beside their places on a map, without overlap if the map has room.

use super::canvas::{MapCanvas, STRONG};

/// Height of a line of letters, pixels, and from its top to the height of its place.
const HEIGHT: i32 = 18;
const RISE: i32 = 9;

/// Longest name that is written, letters.
const LETTERS: usize = 24;

/// A rectangle of pixels: west, north, east and south.
type NameRectangle = [i32; 4];

/// Places that names occupy already, and places that they must leave free.
pub struct Names {
    map: NameRectangle,
    taken: Vec<NameRectangle>,
}

impl Names {
    /// Returns a record without names, on a map that fills a rectangle.
    pub fn on(map: NameRectangle) -> Self {
        Self { map, taken: Vec::new() }
    }

    /// Leaves a square around a place free.
    pub fn keep_free(&mut self, [x, y]: [i32; 2], half: i32) {
        self.taken.push([x - half, y - half, x + half, y + half]);
    }

    /// Writes a name beside a place, `gap` pixels away: east or west of it, or above or below if
    /// these are occupied; at its first place if no place is free.
    pub fn write(&mut self, canvas: &mut MapCanvas, place: [i32; 2], gap: i32, name: &str) {
        let name: String = name.chars().take(LETTERS).collect();
        let at = self.find(place, gap, STRONG.width(&name));
        self.taken.push(at);
        canvas.write_haloed(at[0], at[1], &name, &STRONG);
    }

    /// Writes a name as [`Names::write`] does, but nothing if no place is free.
    pub fn write_if_free(
        &mut self,
        canvas: &mut MapCanvas,
        place: [i32; 2],
        gap: i32,
        name: &str,
    ) -> bool {
        let name: String = name.chars().take(LETTERS).collect();
        let at = self.find(place, gap, STRONG.width(&name));
        let is_free = self.is_free(&at);
        if is_free {
            self.taken.push(at);
            canvas.write_haloed(at[0], at[1], &name, &STRONG);
        }
        is_free
    }

    fn is_free(&self, own: &NameRectangle) -> bool {
        let [west, north, east, south] = self.map;
        let fits = own[0] >= west && own[1] >= north && own[2] <= east && own[3] <= south;
        fits && !self.taken.iter().any(|other| meet(own, other))
    }

    fn find(&self, [x, y]: [i32; 2], gap: i32, width: i32) -> NameRectangle {
        let lines = [0, -1, 1, -2, 2].map(|line| y - RISE + line * HEIGHT);
        let both = |top: i32| [x + gap, x - gap - width].map(|left| (left, top));
        let boxes = lines.into_iter().flat_map(both);
        let mut boxes = boxes.map(|(left, top)| [left, top, left + width, top + HEIGHT]);
        let [west, north, east, south] = self.map;
        let fits = |own: &NameRectangle| {
            own[0] >= west && own[1] >= north && own[2] <= east && own[3] <= south
        };
        let first = boxes.clone().find(fits).or_else(|| boxes.clone().next());
        boxes.find(|own| self.is_free(own)).or(first).unwrap_or_default()
    }
}

fn meet(a: &NameRectangle, b: &NameRectangle) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_lie_over_each_other_nor_beyond_the_map() {
        let mut names = Names::on([0, 0, 300, 200]);
        names.keep_free([150, 100], 6);
        for place in [[150, 100], [152, 103], [148, 99], [150, 110], [297, 3], [299, 198]] {
            let at = names.find(place, 8, 60);
            assert!(!names.taken.iter().any(|other| meet(&at, other)), "{place:?}: {at:?}");
            assert!(at[0] >= 0 && at[1] >= 0 && at[2] <= 300 && at[3] <= 200, "{place:?}: {at:?}");
            names.taken.push(at);
        }
        // If no place is free the name overlaps earlier ones, on the map.
        let mut full = Names::on([0, 0, 100, 40]);
        full.keep_free([50, 20], 50);
        assert_eq!(full.find([20, 20], 8, 60), [28, 11, 88, 29]);
        let mut canvas = MapCanvas::new(100, 40, [0; 3]);
        assert!(!full.write_if_free(&mut canvas, [20, 20], 8, "Mill"));
        let mut empty = Names::on([0, 0, 100, 40]);
        assert!(empty.write_if_free(&mut canvas, [20, 20], 8, "Mill"));
        assert!(!empty.is_free(&[28, 11, 30, 29]));
    }
}
