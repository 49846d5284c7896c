//! Camera: a map from above, a perspective when tilted.
//!
//! ```text
//! a = (x − cx) cos θ + (y − cy) sin θ        to the right, m
//! b = (y − cy) cos θ − (x − cx) sin θ        into the picture, m
//! d = b cos φ − (z − cz) e sin φ             behind the middle, m
//! w = 1 + k d                                how many times smaller than in the middle
//! screen right  a / (s w)                    s metres for each pixel in the middle
//! screen up     (b sin φ + (z − cz) e cos φ) / (s w)
//! ```
//!
//! θ is the azimuth of the screen's upward direction, φ the downward angle of view (90° from
//! above), e the exaggeration of heights. The eye is 1/k in front of the middle: k is 0 from above,
//! in a parallel projection as of maps, and grows with the tilt to that of the lens.
//!
//! Guarantees: a place that is projected and cast back to its elevation is that place.
//! Limits:     a line of sight ends at places [`FAR`] times smaller than in the middle.

use thalweg::glam::DVec2;
use thalweg::probe::Window;
use thalweg::world::CellPlace;

/// Cells of a tile along a side; windows consist of whole tiles.
pub const TILE: u32 = 64;

/// Least width of a cell on the screen, pixels.
const CELL_PX: f64 = 1.25;

/// Largest number of cells of a window along one side.
pub const WINDOW_MAX: u32 = 2048;

/// Tiles around the view.
const MARGIN: u32 = 1;

/// Opening angle of the usual lens from left to right, radians: 45°.
pub const LENS: f64 = 0.785;

/// Tilt over which the lens opens, radians.
const OPENING: f64 = 0.4;

/// Largest and smallest ratio of the size in the middle to the size at a place.
pub const FAR: f64 = 14.0;
const NEAR: f64 = 0.03;

/// Ratios at which the requested ground ends, tried in turn while it has too many cells.
const FAR_TRIED: [f64; 5] = [FAR, 9.0, 6.0, 4.0, 2.5];

/// View of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Place in the middle of the screen, m.
    pub centre_m: [f64; 2],
    /// Elevation of the middle, m.
    pub elevation_m: f64,
    /// Width of a pixel, m.
    pub metres_per_px: f64,
    /// Azimuth of the screen's upward direction, radians from north towards west.
    pub azimuth: f64,
    /// Angle at which the camera looks down, radians: π/2 from above.
    pub slope: f64,
    /// Factor by which heights are exaggerated.
    pub exaggeration: f64,
    /// Opening angle from left to right of tilted views, radians; 0: parallel.
    pub lens: f64,
    /// Size of the screen, pixels.
    pub size_px: [f32; 2],
}

impl Camera {
    /// Returns a camera that shows all of a rectangle from the world's corner on, from above.
    #[must_use]
    pub fn over(size_m: [f64; 2], size_px: [f32; 2]) -> Self {
        let along = |axis: usize| size_m[axis] / f64::from(size_px[axis].max(1.0));
        Self {
            centre_m: size_m.map(|length| 0.5 * length),
            elevation_m: 0.0,
            metres_per_px: along(0).max(along(1)) * 1.02,
            azimuth: 0.0,
            slope: std::f64::consts::FRAC_PI_2,
            exaggeration: 1.0,
            lens: LENS,
            size_px,
        }
    }

    /// Returns the part of the way from a map to a picture, 0 to 1, by the tilt.
    #[must_use]
    pub fn tilt_part(&self) -> f64 {
        let part = ((std::f64::consts::FRAC_PI_2 - self.slope) / OPENING).clamp(0.0, 1.0);
        part * part * (3.0 - 2.0 * part)
    }

    /// Returns one over the distance of the eye from the middle, 1/m; 0 for a parallel projection.
    #[must_use]
    pub fn narrowing(&self) -> f64 {
        let width_m = f64::from(self.size_px[0]) * self.metres_per_px;
        2.0 * (0.5 * self.lens).tan() * self.tilt_part() / width_m
    }

    /// Returns the direction of view: east, north, up, with exaggerated heights.
    #[must_use]
    pub fn forward(&self) -> [f64; 3] {
        let (sin, cos) = self.slope.sin_cos();
        let [x, y] = self.unturned([0.0, cos]);
        [x, y, -sin]
    }

    /// True if the camera looks straight down.
    #[must_use]
    pub fn is_above(&self) -> bool {
        self.slope > 1.57
    }

    /// Converts a distance east and north to one to the right and into the picture, m.
    fn turned(&self, by: DVec2) -> [f64; 2] {
        DVec2::from_angle(-self.azimuth).rotate(by).to_array()
    }

    /// Converts a distance to the right and into the picture to one east and north.
    #[must_use]
    pub fn unturned(&self, by: [f64; 2]) -> [f64; 2] {
        DVec2::from_angle(self.azimuth).rotate(by.into()).to_array()
    }

    /// Returns the pixel of a place (m east, m north, m elevation), from the top left.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "pixels")]
    pub fn project(&self, [x, y, z]: [f64; 3]) -> [f32; 2] {
        let [a, b] = self.turned(DVec2::new(x, y) - DVec2::from(self.centre_m));
        let (sin, cos) = self.slope.sin_cos();
        let rise = (z - self.elevation_m) * self.exaggeration;
        let (up, behind) = (b * sin + rise * cos, b * cos - rise * sin);
        let [width, height] = self.size_px.map(f64::from);
        let s = self.metres_per_px * (1.0 + self.narrowing() * behind).max(NEAR);
        [(0.5 * width + a / s) as f32, (0.5 * height - up / s) as f32]
    }

    /// Returns the line of sight through a pixel.
    fn sight(&self, pixel: [f32; 2]) -> PixelSight<'_> {
        let [width, height] = self.size_px.map(f64::from);
        let right = (f64::from(pixel[0]) - 0.5 * width) * self.metres_per_px;
        let up = (0.5 * height - f64::from(pixel[1])) * self.metres_per_px;
        PixelSight { camera: self, right, up, narrowing: self.narrowing() }
    }

    /// Returns the place at an elevation that a pixel shows, m; if the line of sight ends before
    /// it, its end.
    #[must_use]
    pub fn cast(&self, pixel: [f32; 2], elevation_m: f64) -> [f64; 2] {
        let sight = self.sight(pixel);
        sight.at(sight.behind_m(elevation_m, FAR)).0
    }

    /// Returns the place on a surface that a pixel shows: the first from the eye on; `None` if the
    /// line of sight does not meet the surface between two elevations.
    #[must_use]
    pub fn pick(
        &self,
        pixel: [f32; 2],
        [low_m, high_m]: [f64; 2],
        surface_m: impl Fn([f64; 2]) -> Option<f64>,
    ) -> Option<[f64; 2]> {
        let sight = self.sight(pixel);
        let (from, to) = sight.between([low_m, high_m])?;
        let places = [from, to].map(|behind| DVec2::from(sight.at(behind).0));
        let length = places[0].distance(places[1]);
        // Steps of half a pixel.
        let least = (to - from).max(1e-6) / 4096.0;
        let mut behind = from;
        loop {
            let (place, elevation) = sight.at(behind);
            match surface_m(place) {
                Some(surface) if surface >= elevation - 1e-6 => return Some(place),
                surface if behind >= to => {
                    return surface.filter(|_| sight.rise() < 0.0).map(|_| place);
                }
                _ => {}
            }
            let size = self.metres_per_px * (1.0 + sight.narrowing * behind).max(NEAR);
            let step = 0.5 * size * (to - from) / length.max(1e-9);
            behind = (behind + step.max(least)).min(to);
        }
    }

    /// Moves the camera so that a place at the middle's elevation follows the pointer.
    pub fn drag(&mut self, from_px: [f32; 2], to_px: [f32; 2]) {
        let [from, to] = [from_px, to_px].map(|px| DVec2::from(self.cast(px, self.elevation_m)));
        self.centre_m = (DVec2::from(self.centre_m) + from - to).to_array();
    }

    /// Zooms by a factor (above 1: closer); the place below the pointer keeps its pixel.
    pub fn zoom(&mut self, factor: f64, at_px: [f32; 2], [least, most]: [f64; 2]) {
        let before = self.cast(at_px, self.elevation_m);
        self.metres_per_px = (self.metres_per_px / factor).clamp(least, most);
        let after = self.cast(at_px, self.elevation_m);
        let by = DVec2::from(before) - DVec2::from(after);
        self.centre_m = (DVec2::from(self.centre_m) + by).to_array();
    }

    /// Returns the rectangle of the world that may be in view between two elevations, up to places
    /// `far` times smaller than in the middle: south-west and north-east corner, m.
    #[must_use]
    pub fn footprint(&self, [low_m, high_m]: [f64; 2], far: f64) -> [[f64; 2]; 2] {
        let [width, height] = self.size_px;
        let corners = [[0.0, 0.0], [width, 0.0], [0.0, height], [width, height]];
        let at = |corner, elevation_m| {
            let sight = self.sight(corner);
            DVec2::from(sight.at(sight.behind_m(elevation_m, far)).0)
        };
        let places = corners.map(|corner| [at(corner, low_m), at(corner, high_m)]);
        let places = places.as_flattened();
        let least = places.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let most = places.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        [least.to_array(), most.to_array()]
    }

    /// Returns the tiles to be shown of a world of `size_m` with cells of `finest_m` at level 0:
    /// cells are a pixel and a quarter wide in the middle, or wider if the window would be too
    /// large. A perspective ends earlier before its cells get twice as wide again.
    #[must_use]
    pub fn window(&self, size_m: [f64; 2], finest_m: f64, bed_m: [f64; 2]) -> Window {
        let wanted = (CELL_PX * self.metres_per_px / finest_m).log2().ceil().max(0.0);
        let tried = FAR_TRIED.map(|far| self.window_to(far, size_m, finest_m, bed_m));
        let is_fine = |window: &&Window| f64::from(window.level) <= wanted + 1.0;
        *tried.iter().find(is_fine).unwrap_or(&tried[FAR_TRIED.len() - 1])
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    fn window_to(&self, far: f64, size_m: [f64; 2], finest_m: f64, bed_m: [f64; 2]) -> Window {
        let [low, high] = self.footprint(bed_m, far);
        let mut level = 0_u8;
        loop {
            let cell_m = finest_m * f64::from(1_u32 << level);
            let tile_m = cell_m * f64::from(TILE);
            // Tiles of the world, and the part of them in view with a margin.
            let [columns, rows] = [0, 1].map(|axis| {
                let most = (size_m[axis] / tile_m).ceil().max(1.0) as u32;
                let first = (low[axis] / tile_m).floor().clamp(0.0, f64::from(most - 1)) as u32;
                let last = (high[axis] / tile_m).floor().clamp(0.0, f64::from(most - 1)) as u32;
                let first = first.saturating_sub(MARGIN);
                (first, (last + MARGIN).min(most - 1) + 1 - first)
            });
            let fits = columns.1 * TILE <= WINDOW_MAX && rows.1 * TILE <= WINDOW_MAX;
            let is_coarse = cell_m >= CELL_PX * self.metres_per_px;
            if (fits && is_coarse) || level >= 20 {
                return Window {
                    level,
                    corner: CellPlace { x: columns.0 * TILE, y: rows.0 * TILE },
                    width: (columns.1 * TILE) as usize,
                    height: (rows.1 * TILE) as usize,
                };
            }
            level += 1;
        }
    }

    /// Returns the projection to a graphics card's clip space, by columns; places are metres from
    /// `origin_m` at elevation 0, all of them less than `reach_m` away from the middle.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
    pub fn matrix(&self, origin_m: [f64; 2], reach_m: f64) -> [[f32; 4]; 4] {
        let (sin_a, cos_a) = self.azimuth.sin_cos();
        let (sin, cos) = self.slope.sin_cos();
        let [width, height] = self.size_px.map(f64::from);
        let right = 2.0 / (width * self.metres_per_px);
        let up = 2.0 / (height * self.metres_per_px);
        let (e, k) = (self.exaggeration, self.narrowing());
        // Depths of the nearest and the farthest drawn places: 0 and 1.
        let nearest = if k > 0.0 { ((NEAR - 1.0) / k).max(-reach_m) } else { -reach_m };
        let deep = (1.0 + k * reach_m) / (reach_m - nearest);
        // Each row of the projection over east, north, elevation, and a constant.
        let behind = [-sin_a * cos, cos_a * cos, -e * sin];
        let rows = [
            ([cos_a * right, sin_a * right, 0.0], 0.0),
            ([-sin_a * sin * up, cos_a * sin * up, e * cos * up], 0.0),
            (behind.map(|part| part * deep), -nearest * deep),
            (behind.map(|part| part * k), 1.0),
        ];
        let from =
            [origin_m[0] - self.centre_m[0], origin_m[1] - self.centre_m[1], -self.elevation_m];
        let mut columns = [[0.0; 4]; 4];
        for (axis, (row, added)) in rows.iter().enumerate() {
            for (column, part) in columns.iter_mut().zip(row) {
                column[axis] = *part as f32;
            }
            let shift = (0..3).map(|i| row[i] * from[i]).sum::<f64>();
            columns[3][axis] = (shift + added) as f32;
        }
        columns
    }
}

/// Line of sight through one pixel.
struct PixelSight<'a> {
    camera: &'a Camera,
    /// Distance to the right of and above the middle, m in the plane of the middle.
    right: f64,
    up: f64,
    narrowing: f64,
}

impl PixelSight<'_> {
    /// Returns the rise of the line, in exaggerated heights, for each metre along it.
    fn rise(&self) -> f64 {
        let (sin, cos) = self.camera.slope.sin_cos();
        self.up * self.narrowing * cos - sin
    }

    /// Returns the distance of the line behind the middle at an elevation, m; between the eye and
    /// places `far` times smaller than in the middle.
    fn behind_m(&self, elevation_m: f64, far: f64) -> f64 {
        let camera = self.camera;
        let above = (elevation_m - camera.elevation_m) * camera.exaggeration;
        let rise = self.rise();
        let behind = (above - self.up * camera.slope.cos()) / rise;
        if self.narrowing <= 0.0 {
            return behind;
        }
        let ends = [NEAR, far].map(|size| (size - 1.0) / self.narrowing);
        // A line that does not fall meets the ground at its end only.
        if rise < -1e-9 { behind.clamp(ends[0], ends[1]) } else { ends[1] }
    }

    /// Returns the line's range of distances behind the middle between two elevations, m.
    fn between(&self, elevations_m: [f64; 2]) -> Option<(f64, f64)> {
        let camera = self.camera;
        let rise = if self.rise().abs() < 1e-9 { -1e-9 } else { self.rise() };
        let ends = elevations_m.map(|at_m| {
            let above = (at_m - camera.elevation_m) * camera.exaggeration;
            (above - self.up * camera.slope.cos()) / rise
        });
        let (mut from, mut to) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        if self.narrowing > 0.0 {
            from = from.max((NEAR - 1.0) / self.narrowing);
            to = to.min((FAR - 1.0) / self.narrowing);
        }
        (from <= to).then_some((from, to))
    }

    /// Returns the place at a distance behind the middle, and its elevation, m.
    fn at(&self, behind: f64) -> ([f64; 2], f64) {
        let camera = self.camera;
        let size = 1.0 + self.narrowing * behind;
        let (sin, cos) = camera.slope.sin_cos();
        let up = self.up * size;
        let [x, y] = camera.unturned([self.right * size, up * sin + behind * cos]);
        let rise = up * cos - behind * sin;
        let place = [camera.centre_m[0] + x, camera.centre_m[1] + y];
        (place, camera.elevation_m + rise / camera.exaggeration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aslant() -> Camera {
        Camera {
            centre_m: [5000.0, 3000.0],
            elevation_m: 120.0,
            metres_per_px: 2.5,
            azimuth: 0.7,
            slope: 0.8,
            exaggeration: 1.5,
            lens: LENS,
            size_px: [1280.0, 720.0],
        }
    }

    #[test]
    fn what_is_projected_is_cast_back() {
        for lens in [0.0, LENS, 1.2] {
            let camera = Camera { lens, ..aslant() };
            for place in [[5000.0, 3000.0, 120.0], [4100.0, 3300.0, 80.0], [5600.0, 2500.0, 300.0]]
            {
                let [x, y] = camera.cast(camera.project(place), place[2]);
                assert!((place[0] - x).hypot(place[1] - y) < 0.02, "{place:?}: {x} {y}");
            }
        }
    }

    #[test]
    fn the_matrix_is_the_projection() {
        for camera in [aslant(), Camera { lens: 0.0, ..aslant() }] {
            let origin = [4000.0, 2000.0];
            let m = camera.matrix(origin, 5000.0);
            for place in [[5100.0, 2900.0, 90.0], [4700.0, 3200.0, 160.0]] {
                let at = [place[0] - origin[0], place[1] - origin[1], place[2], 1.0];
                let row =
                    |row: usize| -> f64 { (0..4).map(|i| f64::from(m[i][row]) * at[i]).sum() };
                let clip = [0, 1, 2].map(|axis| row(axis) / row(3));
                let [x, y] = camera.project(place).map(f64::from);
                let expected = [x / 640.0 - 1.0, 1.0 - y / 360.0];
                assert!((clip[0] - expected[0]).abs() < 1e-4, "{place:?}");
                assert!((clip[1] - expected[1]).abs() < 1e-4, "{place:?}");
                assert!((0.0..1.0).contains(&clip[2]), "{}", clip[2]);
            }
        }
    }

    #[test]
    fn a_pixel_picks_the_nearer_hill() {
        let camera = Camera { azimuth: 0.0, exaggeration: 1.0, lens: 0.0, ..aslant() };
        picks_the_ridge(&camera);
        picks_the_ridge(&Camera { lens: LENS, ..camera });
    }

    fn picks_the_ridge(camera: &Camera) {
        // A ridge 200 m high that runs from west to east, south of the middle.
        let surface =
            |place: [f64; 2]| Some(if (place[1] - 2900.0).abs() < 20.0 { 320.0 } else { 120.0 });
        let behind = camera.project([5000.0, 2960.0, 120.0]);
        let seen = camera.pick(behind, [100.0, 400.0], surface).expect("ground");
        assert!((2879.0..2921.0).contains(&seen[1]), "{seen:?}");
        let free = camera.project([5000.0, 3300.0, 120.0]);
        let seen = camera.pick(free, [100.0, 400.0], surface).expect("ground");
        assert!((seen[1] - 3300.0).abs() < 3.0, "{seen:?}");
    }

    #[test]
    fn above_the_horizon_there_is_nothing() {
        let camera = Camera { slope: 0.15, azimuth: 0.0, exaggeration: 1.0, ..aslant() };
        let plain = |_: [f64; 2]| Some(120.0);
        assert_eq!(camera.pick([640.0, 5.0], [100.0, 400.0], plain), None);
        let mountain = |at: [f64; 2]| Some(if at[1] > 6000.0 { 2900.0 } else { 120.0 });
        let seen = camera.pick([640.0, 5.0], [100.0, 3000.0], mountain).expect("a mountain");
        assert!((5990.0..6010.0).contains(&seen[1]), "{seen:?}");
        let seen = camera.pick([640.0, 700.0], [100.0, 400.0], plain).expect("ground");
        let pixel = camera.project([seen[0], seen[1], 120.0]);
        assert!((pixel[0] - 640.0).abs() < 1.0 && (pixel[1] - 700.0).abs() < 1.0, "{pixel:?}");
        let [low, high] = camera.footprint([100.0, 400.0], FAR);
        assert!(
            low.iter().chain(&high).all(|v| v.is_finite()) && high[1] < 1e5,
            "{low:?} {high:?}"
        );
    }

    #[test]
    fn windows_hold_what_is_in_view_in_cells_of_a_pixel_or_two() {
        let size = [16_384.0, 16_384.0];
        for (metres_per_px, level) in [(0.2, 0), (0.8, 0), (1.0, 1), (3.0, 2), (12.8, 4)] {
            let camera = Camera { metres_per_px, slope: 1.57, azimuth: 0.0, ..aslant() };
            let window = camera.window(size, 1.0, [100.0, 140.0]);
            assert_eq!(window.level, level, "{metres_per_px}");
            let cell = f64::from(1_u32 << level);
            let [low, high] = camera.footprint([120.0, 120.0], FAR);
            assert!(f64::from(window.corner.x) * cell <= low[0].max(0.0));
            let east = (f64::from(window.corner.x) + window.width as f64) * cell;
            assert!(east >= high[0].min(size[0]), "{metres_per_px}");
        }
    }

    #[test]
    fn zooming_keeps_what_is_below_the_pointer() {
        let mut camera = aslant();
        let pixel = [300.0, 200.0];
        let before = camera.cast(pixel, camera.elevation_m);
        camera.zoom(1.7, pixel, [0.01, 100.0]);
        let after = camera.cast(pixel, camera.elevation_m);
        assert!((before[0] - after[0]).abs() < 0.1 && (before[1] - after[1]).abs() < 0.1);
    }
}
