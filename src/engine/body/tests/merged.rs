//! Several bodies in a cell and on a face.

use super::*;
use crate::body::merge::WHOLE;
use crate::body::{Shade, ShadeKind, SolidCell, Solids};
use crate::grid::cells::CellPlace;
use crate::units::VerticalScale;
use crate::units::elevation::CEILING;

/// Vertical units in a metre.
const METRE: f64 = 1_048_576.0;

const PLACE: CellPlace = CellPlace { x: 3, y: 5 };

fn merge(footprints: &[Footprint]) -> Solids {
    let scale = VerticalScale::try_new(20, 0.0).expect("in range");
    Solids::merge(footprints.iter(), &scale, 1.0)
}

#[track_caller]
fn check_cell(parts: &[(f64, f64, f64)], expected: (f64, f64, f64), gaps: u32) {
    let of = |&(share, low_m, high_m): &(f64, f64, f64)| Footprint {
        cells: vec![SolidCell { place: PLACE, share, low_m, high_m }],
        faces: Vec::new(),
    };
    let mut footprints: Vec<Footprint> = parts.iter().map(of).collect();
    let solids = merge(&footprints);
    footprints.reverse();
    assert_eq!(merge(&footprints), solids, "{parts:?}: the order shows");
    let cell = solids.cells[0];
    let found = [f64::from(cell.share) / f64::from(WHOLE), f64::from(cell.low) / METRE];
    let found = (found[0], found[1], f64::from(cell.high) / METRE);
    let is_close = |a: f64, b: f64| (a - b).abs() < 1.0e-6;
    assert!(
        is_close(found.0, expected.0)
            && is_close(found.1, expected.1)
            && is_close(found.2, expected.2),
        "{parts:?}: {found:?}, not {expected:?}"
    );
    assert_eq!((solids.cells.len(), solids.closed_gaps), (1, gaps), "{parts:?}");
}

#[test]
fn solids_in_a_cell_stand_side_by_side_or_are_stacked() {
    check_cell(&[(0.25, 1.0, 2.0)], (0.25, 1.0, 2.0), 0);
    // Side by side: volumes add up.
    check_cell(&[(0.25, 1.0, 2.0), (0.5, 1.0, 2.0)], (0.75, 1.0, 2.0), 0);
    check_cell(&[(0.25, 0.0, 4.0), (0.75, 0.0, 2.0)], (1.0, 0.0, 2.5), 0);
    // No room for all of them: taller, up to their hull.
    check_cell(&[(0.75, 0.0, 1.0), (0.75, 0.25, 1.25)], (1.0, 0.0, 1.25), 0);
    check_cell(&[(1.0, 0.0, 1.0), (1.0, 0.0, 1.0)], (1.0, 0.0, 1.0), 0);
    // Stacked, touching and with some play.
    check_cell(&[(1.0, 0.0, 1.0), (1.0, 1.0, 2.0)], (1.0, 0.0, 2.0), 0);
    check_cell(&[(1.0, 0.0, 1.0), (0.5, 0.9, 1.9)], (1.0, 0.0, 1.5), 0);
    check_cell(&[(0.5, 0.0, 1.0), (0.5, 1.25, 2.0)], (0.5, 0.0, 2.0), 0);
    check_cell(&[(0.5, 0.0, 1.0), (0.5, 3.0, 4.0), (0.5, 5.0, 6.0)], (0.5, 0.0, 6.0), 2);
}

#[track_caller]
fn check_face(parts: &[(ShadeKind, f64, f64, f64, f64)], expected: Option<(f64, f64, f64)>) {
    let of = |&(kind, from, to, low_m, high_m): &(ShadeKind, f64, f64, f64, f64)| Footprint {
        cells: Vec::new(),
        faces: vec![Shade {
            axis: 1,
            place: PLACE,
            from,
            to,
            kind,
            low_m,
            high_m,
            lead: 0.0,
            speed_m_s: 0.0,
        }],
    };
    let mut footprints: Vec<Footprint> = parts.iter().map(of).collect();
    let solids = merge(&footprints);
    footprints.reverse();
    assert_eq!(merge(&footprints), solids, "{parts:?}: the order shows");
    let found = solids.faces.first().map(|face| {
        let open = f64::from(face.open) / f64::from(WHOLE);
        (open, f64::from(face.low) / METRE, f64::from(face.high) / METRE)
    });
    let is_close = match (found, expected) {
        (Some(a), Some(b)) => {
            [(a.0, b.0), (a.1, b.1), (a.2, b.2)].iter().all(|(a, b)| (a - b).abs() < 1.0e-6)
        }
        (a, b) => a.is_none() && b.is_none(),
    };
    assert!(is_close, "{parts:?}: {found:?}, not {expected:?}");
}

#[test]
fn shadows_on_a_face_are_united() {
    use ShadeKind::{Cut, End, Loose};
    check_face(&[(Cut, -0.5, 0.5, 1.0, 2.0)], Some((0.0, 1.0, 2.0)));
    check_face(&[(Cut, -0.5, 0.25, 1.0, 2.0)], Some((0.25, 1.0, 2.0)));
    check_face(&[(Loose, 0.1, 0.5, 1.0, 2.0)], None);
    check_face(&[(Loose, 0.1, 0.5, 1.0, 2.0), (End, -0.5, 0.2, 1.0, 2.0)], Some((0.3, 1.0, 2.0)));
    let stem = (Cut, -0.5, 0.1, 1.0, 3.0);
    check_face(&[stem, (Loose, 0.1, 0.5, 1.0, 3.0)], Some((0.0, 1.0, 3.0)));
    check_face(&[stem, (Loose, 0.2, 0.5, 1.0, 3.0)], Some((0.4, 1.0, 3.0)));
    // Stacked: the hull; side by side: the mean along the face.
    check_face(&[(Cut, -0.5, 0.5, 0.0, 1.0), (Cut, -0.5, 0.5, 1.0, 2.0)], Some((0.0, 0.0, 2.0)));
    check_face(&[(Cut, -0.5, 0.0, 0.0, 1.0), (Cut, 0.0, 0.5, 0.0, 3.0)], Some((0.0, 0.0, 2.0)));
    check_face(
        &[(Cut, -0.5, 0.25, 0.0, 1.0), (Cut, 0.0, 0.5, 1.0, 3.0), (End, 0.4, 0.5, 9.0, 9.5)],
        Some((0.0, 0.25, 2.65)),
    );
    // Above the ceiling it blocks up to it.
    let ceiling = f64::from(CEILING) / METRE;
    check_face(&[(Cut, -0.5, 0.5, -1.0e9, 1.0e9)], Some((0.0, -ceiling, ceiling)));
}

/// Goal: many bodies in one cell are one, whatever their order, and soon.
#[test]
fn ten_thousand_bodies_in_one_cell() {
    let mut draws = Draws(7);
    let pebble = cuboid([0.01, 0.01, 0.01]);
    let mut footprints: Vec<Footprint> = (0..10_000)
        .map(|_| {
            let position = draws.place(3.4, 3.6);
            let pose = Pose { position, rotation: draws.rotation() };
            Footprint::of(&pebble, &pose, 1.0, (8, 8))
        })
        .collect();
    let solids = merge(&footprints);
    assert_eq!(solids.cells.len(), 1);
    let cell = solids.cells[0];
    let volume = f64::from(cell.share) / f64::from(WHOLE) * f64::from(cell.high - cell.low) / METRE;
    assert!((0.01..0.25).contains(&volume), "{volume} m³ of 0.01 m³ of pebbles and their gaps");
    assert!(solids.faces.iter().all(|face| face.open <= WHOLE && face.low < face.high));
    footprints.reverse();
    assert_eq!(merge(&footprints), solids);
    footprints.swap(3, 4444);
    assert_eq!(merge(&footprints), solids);
}
