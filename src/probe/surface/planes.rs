//! The planes of a window: moving them with the window, and cutting them for threads.

use crate::probe::Window;
use crate::probe::surface::area::WindowArea;
use std::ops::Range;

/// A vector upright on a surface, east, north and up, 127 its length; the fourth is 0.
pub(super) type Normal = [i8; 4];

/// The upright vector.
pub(super) const UP: Normal = [0, 0, 127, 0];

/// Planes of a window, rows from south to north.
#[derive(Debug, Default)]
pub(super) struct SurfacePlanes {
    pub width: usize,
    pub bed_m: Vec<f32>,
    pub depth_m: Vec<f32>,
    pub stage_m: Vec<f32>,
    pub velocity: [Vec<f32>; 2],
    pub foam: Vec<f32>,
    pub bed_normal: Vec<Normal>,
    pub normal: Vec<Normal>,
}

/// Rows of all planes, from the first to before another: the rows that one thread reads and writes.
#[derive(Debug)]
pub(super) struct Slab<'a> {
    pub width: usize,
    /// The first row of the window in the slab.
    first: usize,
    pub bed_m: &'a mut [f32],
    pub depth_m: &'a mut [f32],
    pub stage_m: &'a mut [f32],
    pub velocity: [&'a mut [f32]; 2],
    pub foam: &'a mut [f32],
    pub bed_normal: &'a mut [Normal],
    pub normal: &'a mut [Normal],
}

impl Slab<'_> {
    /// Returns the beginning of a row of the window in the slab.
    pub fn row(&self, y: usize) -> usize {
        (y - self.first) * self.width
    }

    /// Returns the rows of the window that the slab has.
    pub fn rows(&self) -> Range<usize> {
        self.first..self.first + self.bed_m.len() / self.width
    }
}

/// Cuts the rows of a plane into ranges that follow each other.
fn cut<'a, T>(plane: &'a mut [T], width: usize, rows: &[Range<usize>]) -> Vec<&'a mut [T]> {
    let (mut rest, mut at) = (plane, 0);
    let mut take = |rows: &Range<usize>| {
        let (_, from) = std::mem::take(&mut rest).split_at_mut((rows.start - at) * width);
        let (own, behind) = from.split_at_mut(rows.len() * width);
        (rest, at) = (behind, rows.end);
        own
    };
    rows.iter().map(&mut take).collect()
}

impl SurfacePlanes {
    /// Returns slabs of some rows, which follow each other.
    pub fn slabs(&mut self, rows: &[Range<usize>]) -> Vec<Slab<'_>> {
        let width = self.width;
        let [east, north] = &mut self.velocity;
        let mut numbers =
            [&mut self.bed_m, &mut self.depth_m, &mut self.stage_m, east, north, &mut self.foam]
                .map(|plane| cut(plane, width, rows).into_iter());
        let mut normals = [&mut self.bed_normal, &mut self.normal]
            .map(|plane| cut(plane, width, rows).into_iter());
        let slab = |rows: &Range<usize>| {
            let mut next = || numbers.each_mut().map(|slabs| slabs.next().expect("one a range"));
            let [bed_m, depth_m, stage_m, east, north, foam] = next();
            let [bed_normal, normal] =
                normals.each_mut().map(|slabs| slabs.next().expect("one a range"));
            let (first, velocity) = (rows.start, [east, north]);
            Slab { width, first, bed_m, depth_m, stage_m, velocity, foam, bed_normal, normal }
        };
        rows.iter().map(slab).collect()
    }

    /// Returns planes of a window, empty.
    pub fn empty(window: &Window) -> Self {
        let cells = window.width * window.height;
        Self {
            width: window.width,
            bed_m: vec![f32::NAN; cells],
            depth_m: vec![0.0; cells],
            stage_m: vec![f32::NAN; cells],
            velocity: [vec![0.0; cells], vec![0.0; cells]],
            foam: vec![0.0; cells],
            bed_normal: vec![UP; cells],
            normal: vec![UP; cells],
        }
    }

    /// Clears an area but for foam.
    pub fn clear(&mut self, area: WindowArea) {
        for y in area.y[0]..area.y[1] {
            let row = y * self.width + area.x[0]..y * self.width + area.x[1];
            self.bed_m[row.clone()].fill(f32::NAN);
            self.depth_m[row.clone()].fill(0.0);
            self.stage_m[row.clone()].fill(f32::NAN);
            self.velocity.iter_mut().for_each(|plane| plane[row.clone()].fill(0.0));
            self.bed_normal[row.clone()].fill(UP);
            self.normal[row].fill(UP);
        }
    }

    /// Moves the cells that both windows show, of one level, from their place in `from` to that in
    /// `to`.
    pub fn move_to(&mut self, from: &Window, to: &Window) {
        let Some(shift) = Shift::between(from, to) else {
            *self = Self::empty(to);
            return;
        };
        shift.apply(&mut self.bed_m, f32::NAN);
        shift.apply(&mut self.depth_m, 0.0);
        shift.apply(&mut self.stage_m, f32::NAN);
        self.velocity.iter_mut().for_each(|plane| shift.apply(plane, 0.0));
        shift.apply(&mut self.foam, 0.0);
        shift.apply(&mut self.bed_normal, UP);
        shift.apply(&mut self.normal, UP);
        self.width = to.width;
    }
}

/// Part that two windows of one level have in common, and its place in each.
struct Shift {
    from: [usize; 2],
    to: [usize; 2],
    size: [usize; 2],
    widths: [usize; 2],
    cells: usize,
}

impl Shift {
    fn between(from: &Window, to: &Window) -> Option<Self> {
        let axis = |a: (u32, usize), b: (u32, usize)| {
            let (low, high) = (a.0.max(b.0), (a.0 as usize + a.1).min(b.0 as usize + b.1));
            let size = high.checked_sub(low as usize).filter(|&size| size > 0)?;
            Some(((low - a.0) as usize, (low - b.0) as usize, size))
        };
        let x = axis((from.corner.x, from.width), (to.corner.x, to.width))?;
        let y = axis((from.corner.y, from.height), (to.corner.y, to.height))?;
        (from.level == to.level).then_some(Self {
            from: [x.0, y.0],
            to: [x.1, y.1],
            size: [x.2, y.2],
            widths: [from.width, to.width],
            cells: to.width * to.height,
        })
    }

    /// Moves a plane: in place if the windows have one size.
    fn apply<T: Copy>(&self, plane: &mut Vec<T>, nothing: T) {
        let [wide, new_wide] = self.widths;
        let row = |y: usize| {
            let from = (self.from[1] + y) * wide + self.from[0];
            let to = (self.to[1] + y) * new_wide + self.to[0];
            (from..from + self.size[0], to)
        };
        if wide != new_wide || plane.len() != self.cells {
            let mut moved = vec![nothing; self.cells];
            for y in 0..self.size[1] {
                let (from, to) = row(y);
                moved[to..to + self.size[0]].copy_from_slice(&plane[from]);
            }
            *plane = moved;
            return;
        }
        // Rows that move north are moved from the north on: no row is written before it is read.
        let goes_north = self.to[1] > self.from[1];
        for i in 0..self.size[1] {
            let (from, to) = row(if goes_north { self.size[1] - 1 - i } else { i });
            plane.copy_within(from, to);
        }
        let kept = self.to[1]..self.to[1] + self.size[1];
        for (y, row) in plane.chunks_exact_mut(wide).enumerate() {
            if kept.contains(&y) {
                row[..self.to[0]].fill(nothing);
                row[self.to[0] + self.size[0]..].fill(nothing);
            } else {
                row.fill(nothing);
            }
        }
    }
}
