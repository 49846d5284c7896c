//! Conversion of loose triangles to a closed surface.
//!
//! ```text
//!   ┌───┬───┐      corners at one place are one corner; each edge is walked as often one way as
//!   │ A ╪ B │      the other, and the first triangle of the one way belongs to the first of the
//!   └───┴───┘      other: shapes that touch along an edge, one after the other, come apart there
//! ```
//!
//! If one shape touches itself along an edge, each pair of ways there gets its own point, halfway,
//! so that each edge is walked once each way.
//!
//! Guarantees: a closed surface encloses the same places as the file's triangles, and makes a
//!             solid.
//! Limits:     places are compared to the last bit; corners that are only near are not joined.
//! Source:     own.

use std::collections::HashMap;

/// Most triangles of a mesh, as a solid has.
pub(crate) const TRIANGLES_MOST: usize = 1 << 20;

/// Corners and triangles as a file has them.
#[derive(Debug, Default)]
pub(crate) struct Triangles {
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// A closed surface: each edge has one triangle on each side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClosedSurface {
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// A way along an edge, from the lower corner to the higher or back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeWay {
    low: u32,
    high: u32,
    is_back: bool,
    /// Three times the triangle, and the side.
    corner: u32,
}

impl ClosedSurface {
    /// Joins triangles.
    ///
    /// # Errors
    ///
    /// If triangles are missing or too many, a number is not finite, or the surface is open or
    /// inside out.
    pub(crate) fn closed(loose: Triangles) -> Result<Self, String> {
        if loose.triangles.len() > TRIANGLES_MOST {
            return Err(many(loose.triangles.len()));
        }
        let joined = joined(&loose)?;
        if joined.triangles.is_empty() {
            return Err("holds no triangle: export the faces of the mesh".to_owned());
        }
        let pairs = pairs(&joined)?;
        let surface = apart(&joined, &pairs);
        surface.check_parts(&parts(joined.triangles.len(), &pairs))?;
        Ok(surface.halved(&pairs))
    }

    /// Puts a point into each edge that is walked more than once each way.
    fn halved(mut self, pairs: &[[u32; 2]]) -> Self {
        let ends = |pair: &[u32; 2]| {
            let corner = pair[0] as usize;
            [corner, next(corner)].map(|corner| self.triangles[corner / 3][corner % 3])
        };
        let mut edges: Vec<([u32; 2], [u32; 2])> =
            pairs.iter().map(|pair| (ends(pair), *pair)).collect();
        edges.sort_unstable();
        let mut halfway: HashMap<usize, u32> = HashMap::new();
        let corners = u32::try_from(self.points.len()).expect("at most 3 · 2²⁰");
        for edge in edges.chunk_by(|a, b| a.0 == b.0).filter(|edge| edge.len() > 1) {
            for ([from, to], pair) in edge {
                let [from, to] = [from, to].map(|point| self.points[*point as usize]);
                let point = u32::try_from(self.points.len()).expect("at most 6 · 2²⁰");
                self.points.push([0, 1, 2].map(|axis| f64::midpoint(from[axis], to[axis])));
                halfway.extend(pair.map(|corner| (corner as usize, point)));
            }
        }
        if halfway.is_empty() {
            return self;
        }
        let rings = self.triangles.iter().enumerate().map(|(index, corners)| {
            let sides = corners.iter().enumerate();
            let points = sides.flat_map(|(side, corner)| {
                [Some(*corner), halfway.get(&(3 * index + side)).copied()]
            });
            points.flatten().collect::<Vec<u32>>()
        });
        let fans = rings.flat_map(|mut ring| {
            // From a point halfway no triangle of the fan has two corners of the edge it halves.
            let begin = ring.iter().position(|point| *point >= corners).unwrap_or(0);
            ring.rotate_left(begin);
            let pairs = ring[1..].windows(2).map(|pair| [ring[0], pair[0], pair[1]]);
            pairs.collect::<Vec<_>>()
        });
        self.triangles = fans.collect();
        self
    }

    /// Checks that no part is inside out: such a part encloses nothing, unless a larger one
    /// surrounds it.
    fn check_parts(&self, part_of: &[usize]) -> Result<(), String> {
        let mut parts: HashMap<usize, ShellPart> = HashMap::new();
        for (triangle, part) in self.triangles.iter().zip(part_of) {
            let corners = triangle.map(|corner| self.points[corner as usize]);
            parts.entry(*part).or_insert_with(|| ShellPart::at(corners[0])).add(corners);
        }
        let mut parts: Vec<(usize, ShellPart)> = parts.into_iter().collect();
        parts.sort_by_key(|(first, _)| *first);
        let (solid, hollow): (Vec<_>, Vec<_>) =
            parts.iter().map(|(_, part)| part).partition(|part| part.volume_6 > 0.0);
        let lost = hollow.iter().find(|part| !solid.iter().any(|around| around.holds(part)));
        match lost {
            None => Ok(()),
            Some(ShellPart { low: [x, y, z], .. }) => Err(format!(
                "the part of the mesh from {x}, {y}, {z} on is inside out, or encloses nothing: \
                 turn its faces round (recalculate normals outside)"
            )),
        }
    }
}

/// A connected part of a surface.
struct ShellPart {
    origin: [f64; 3],
    low: [f64; 3],
    high: [f64; 3],
    /// Six times its volume.
    volume_6: f64,
}

impl ShellPart {
    fn at(origin: [f64; 3]) -> Self {
        Self { origin, low: origin, high: origin, volume_6: 0.0 }
    }

    fn add(&mut self, corners: [[f64; 3]; 3]) {
        for corner in corners {
            for (axis, along) in corner.into_iter().enumerate() {
                self.low[axis] = self.low[axis].min(along);
                self.high[axis] = self.high[axis].max(along);
            }
        }
        let [a, b, c] =
            corners.map(|corner| [0, 1, 2].map(|axis| corner[axis] - self.origin[axis]));
        self.volume_6 += a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }

    fn holds(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.low[axis] && other.high[axis] <= self.high[axis])
    }
}

/// Returns the error on too many triangles.
pub(crate) fn many(count: usize) -> String {
    format!(
        "has {count} triangles, more than {TRIANGLES_MOST}: make the mesh coarser (decimate), or \
         cut it into several files"
    )
}

/// Returns each place once, and triangles by them, without triangles with two corners at one place.
fn joined(loose: &Triangles) -> Result<Triangles, String> {
    let mut known: HashMap<[u64; 3], u32> = HashMap::with_capacity(loose.points.len());
    let mut points = Vec::new();
    let mut index_of = Vec::with_capacity(loose.points.len());
    for &point in &loose.points {
        if !point.iter().all(|along| along.is_finite()) {
            let [x, y, z] = point;
            return Err(format!("a corner is at {x}, {y}, {z}: give finite numbers"));
        }
        // -0 and 0 are one place.
        let key = point.map(|along| (along + 0.0).to_bits());
        index_of.push(*known.entry(key).or_insert_with(|| {
            points.push(point);
            u32::try_from(points.len() - 1).unwrap_or(u32::MAX)
        }));
    }
    let named = loose.triangles.iter().map(|corners| corners.map(|c| index_of[c as usize]));
    let triangles = named.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    Ok(Triangles { points, triangles })
}

/// Returns corners that begin the two ways along one edge.
fn pairs(joined: &Triangles) -> Result<Vec<[u32; 2]>, String> {
    let mut ways: Vec<EdgeWay> = Vec::with_capacity(3 * joined.triangles.len());
    for (corners, first) in joined.triangles.iter().zip((0_u32..).step_by(3)) {
        for side in 0..3_u32 {
            let [from, to] = [side, (side + 1) % 3].map(|at| corners[at as usize]);
            let (low, high) = (from.min(to), from.max(to));
            ways.push(EdgeWay { low, high, is_back: to < from, corner: first + side });
        }
    }
    ways.sort_unstable();
    let mut pairs = Vec::with_capacity(ways.len() / 2);
    for edge in ways.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
        let (there, back) = edge.split_at(edge.partition_point(|way| !way.is_back));
        if there.len() != back.len() {
            let [from, to] = [edge[0].low, edge[0].high].map(|at| {
                let [x, y, z] = joined.points[at as usize];
                format!("{x}, {y}, {z}")
            });
            return Err(format!(
                "the surface is not closed at the edge from {from} to {to}, which has {} and {} \
                 triangles on its two sides: fill the hole, join corners that are only near (merge \
                 by distance), or turn faces round",
                there.len(),
                back.len()
            ));
        }
        pairs.extend(there.iter().zip(back).map(|(there, back)| [there.corner, back.corner]));
    }
    Ok(pairs)
}

/// Gives each corner as many points as surfaces meet there.
fn apart(joined: &Triangles, pairs: &[[u32; 2]]) -> ClosedSurface {
    let Triangles { points, triangles } = joined;
    let mut corners = Sets::new(3 * triangles.len());
    for pair in pairs {
        let [there, back] = pair.map(|corner| corner as usize);
        corners.join(there, next(back));
        corners.join(next(there), back);
    }
    let mut point_of = vec![u32::MAX; 3 * triangles.len()];
    let mut surface =
        ClosedSurface { points: Vec::new(), triangles: Vec::with_capacity(triangles.len()) };
    for (index, named) in triangles.iter().enumerate() {
        surface.triangles.push([0, 1, 2].map(|side| {
            let own = &mut point_of[corners.first(3 * index + side)];
            if *own == u32::MAX {
                *own = u32::try_from(surface.points.len()).expect("at most 3 · 2²⁰");
                surface.points.push(points[named[side] as usize]);
            }
            *own
        }));
    }
    surface
}

/// Returns the part of each triangle, as the first triangle of it.
fn parts(count: usize, pairs: &[[u32; 2]]) -> Vec<usize> {
    let mut sets = Sets::new(count);
    for [there, back] in pairs {
        sets.join(*there as usize / 3, *back as usize / 3);
    }
    (0..count).map(|triangle| sets.first(triangle)).collect()
}

/// Returns the corner after a corner of a triangle.
fn next(corner: usize) -> usize {
    if corner % 3 == 2 { corner - 2 } else { corner + 1 }
}

/// Sets of numbers that are joined; each has the least of its numbers as its first.
struct Sets {
    above: Vec<usize>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self { above: (0..count).collect() }
    }

    fn first(&mut self, mut of: usize) -> usize {
        while self.above[of] != of {
            self.above[of] = self.above[self.above[of]];
            of = self.above[of];
        }
        of
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.above[a.max(b)] = a.min(b);
    }
}
