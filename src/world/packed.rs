//! Planes of leaves asleep as packed bytes in memory.
//!
//! ```text
//! water         rests or flows ── depth over bed ── flows, where some are ── tracers' contents
//! infiltrated   plane
//! maps          planes of the kinds that are kept; hazard as its difference from that of the
//!               largest depth and speed, where both are kept
//! ```
//!
//! The forms of planes are those of the world file; what a leaf that never was wet has is packed
//! once for all. The order of bytes is that of this process: no other reads them.
//!
//! Guarantees: planes come back to the bit, NaN and −0 too: the codec keeps bits, and a debug build
//!             compares all that it packs.
//! Limits:     depths over a flat surface take 0.1 bytes a cell; speeds that a leaf has seen are
//!             noise and take three.

use crate::probe::LeafMaps;
use crate::probe::maps::{MapPlanes, MapScale};
use crate::sim::residency::{Packer, Residency, Round};
use crate::store::codec::{Bytes, Corrupt};
use crate::tile::resident::{Demand, Place};
use crate::tile::{CowPlane, Ground, MapKinds, Water};
use crate::units::Volume;
use crate::world::file::planes;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Why packed bytes decode.
const WHOLE: &str = "packed by this process";

/// Where the leaves of a world have their planes; no part of its state.
#[derive(Debug, Default)]
pub struct Residence {
    /// The setting.
    pub residency: Residency,
    /// Whose turn it is.
    pub round: Round,
    /// Packs planes.
    pub packing: Packing,
}

/// Packs the planes of one world's leaves, and counts them.
#[derive(Debug, Default)]
pub struct Packing {
    pub(super) counts: Arc<Counts>,
    dry: OnceLock<Arc<PackedWater>>,
    unseen: OnceLock<Arc<PackedMaps>>,
}

/// Counts of packed planes, which any thread adds to.
#[derive(Debug, Default)]
pub struct Counts {
    /// Bytes that are packed now.
    pub bytes: AtomicU64,
    /// Planes of leaves that were packed.
    pub packed: AtomicU64,
    /// Planes of leaves that came back before someone waited for them.
    pub ahead: AtomicU64,
    /// Planes of leaves that someone waited for.
    pub waits: AtomicU64,
}

impl Counts {
    fn count(&self, demand: Demand) {
        match demand {
            Demand::Ahead => self.ahead.fetch_add(1, Ordering::Relaxed),
            Demand::Now => self.waits.fetch_add(1, Ordering::Relaxed),
            Demand::Copy => 0,
        };
    }
}

/// Packed bytes, counted as long as they are there.
#[derive(Debug)]
struct Packed {
    bytes: Box<[u8]>,
    counts: Arc<Counts>,
}

impl Packed {
    fn new(bytes: Vec<u8>, counts: &Arc<Counts>) -> Self {
        let packed = Self { bytes: bytes.into_boxed_slice(), counts: Arc::clone(counts) };
        counts.bytes.fetch_add(packed.size(), Ordering::Relaxed);
        counts.packed.fetch_add(1, Ordering::Relaxed);
        packed
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl Drop for Packed {
    fn drop(&mut self) {
        self.counts.bytes.fetch_sub(self.size(), Ordering::Relaxed);
    }
}

/// The water of a leaf.
#[derive(Debug)]
struct PackedWater {
    packed: Packed,
    bed: CowPlane<i32>,
    sums: Box<[Volume]>,
}

impl PackedWater {
    fn of(water: &Water, bed: &CowPlane<i32>, counts: &Arc<Counts>) -> Self {
        let Water { depth, flow_x, flow_y, contents } = water;
        let rests = [flow_x, flow_y].iter().all(|plane| plane.iter().all(|q| q.to_bits() == 0));
        let mut out = vec![u8::from(!rests)];
        planes::put_depth(&mut out, depth, bed);
        if !rests {
            planes::put_floats(&mut out, flow_x);
            planes::put_floats(&mut out, flow_y);
        }
        for content in contents {
            planes::put_wide(&mut out, content.iter().map(|cell| cell.cast_unsigned()));
        }
        let sums = (0..=contents.len()).map(|plane| water.sum_of(plane)).collect();
        Self { packed: Packed::new(out, counts), bed: bed.clone(), sums }
    }

    fn read(&self) -> Result<Water, Corrupt> {
        let mut bytes = Bytes(&self.packed.bytes);
        let rests = bytes.take_byte()? == 0;
        let depth = planes::take_depth(&mut bytes, &self.bed)?;
        let mut flow = || match rests {
            true => Ok(CowPlane::zeros()),
            false => planes::take_floats(&mut bytes),
        };
        let (flow_x, flow_y) = (flow()?, flow()?);
        let mut content = |_| -> Result<CowPlane<i64>, Corrupt> {
            Ok(planes::take_wide(&mut bytes)?.into_iter().map(u64::cast_signed).collect())
        };
        let contents = (1..self.sums.len()).map(&mut content).collect::<Result<_, _>>()?;
        Ok(Water { depth, flow_x, flow_y, contents })
    }
}

impl Place<Water> for PackedWater {
    fn bring(&self, demand: Demand) -> Water {
        self.packed.counts.count(demand);
        self.read().expect(WHOLE)
    }

    fn sums(&self) -> &[Volume] {
        &self.sums
    }
}

/// The infiltrated depth of a leaf.
#[derive(Debug)]
struct PackedPlane(Packed);

impl Place<CowPlane<i32>> for PackedPlane {
    fn bring(&self, demand: Demand) -> CowPlane<i32> {
        self.0.counts.count(demand);
        planes::take_ints(&mut Bytes(&self.0.bytes)).expect(WHOLE)
    }
}

/// The flood maps of a leaf.
#[derive(Debug)]
struct PackedMaps {
    packed: Packed,
    bed: CowPlane<i32>,
    scale: MapScale,
    kinds: MapKinds,
}

impl PackedMaps {
    fn read(&self) -> Result<MapPlanes, Corrupt> {
        let (mut bytes, mut maps) = (Bytes(&self.packed.bytes), MapPlanes::unseen(self.kinds));
        if let Some(plane) = &mut maps.depth_max {
            *plane = planes::take_depth(&mut bytes, &self.bed)?;
        }
        if let Some(plane) = &mut maps.speed_max {
            *plane = planes::take_floats(&mut bytes)?;
        }
        if let Some(plane) = &mut maps.hazard_max {
            *plane = match foretold_hazards(self.scale, &maps.depth_max, &maps.speed_max) {
                None => planes::take_floats(&mut bytes)?,
                Some(foretold) => {
                    let differences = planes::take_ints(&mut bytes)?;
                    let hazards = foretold.zip(&differences);
                    let of =
                        |(bits, other): (u32, &i32)| f32::from_bits(bits ^ other.cast_unsigned());
                    hazards.map(of).collect()
                }
            };
        }
        let velocity = maps.velocity.iter_mut().flatten();
        let times = maps.arrival_s.iter_mut().chain(&mut maps.wet_last_s);
        let times = times.chain(&mut maps.deepest_s).chain(&mut maps.was_wet);
        for plane in velocity.chain(times) {
            *plane = planes::take_floats(&mut bytes)?;
        }
        if let Some(plane) = &mut maps.duration_s {
            *plane = planes::take_wide(&mut bytes)?.into_iter().map(f64::from_bits).collect();
        }
        Ok(maps)
    }
}

impl Place<MapPlanes> for PackedMaps {
    fn bring(&self, demand: Demand) -> MapPlanes {
        self.packed.counts.count(demand);
        self.read().expect(WHOLE)
    }
}

/// Bits of the hazard ratings of the largest depths and speeds, were they at one moment; `None`
/// where one of them is not kept.
fn foretold_hazards<'a>(
    scale: MapScale,
    depth_max: &'a Option<CowPlane<i32>>,
    speed_max: &'a Option<CowPlane<f32>>,
) -> Option<impl Iterator<Item = u32> + 'a> {
    let (depth_max, speed_max) = depth_max.as_ref().zip(speed_max.as_ref())?;
    Some(depth_max.iter().zip(speed_max).map(move |(&h, &v)| scale.hazard(h, v).to_bits()))
}

/// Packed maps on a bed.
fn maps_bytes(maps: &MapPlanes, scale: MapScale, bed: &[i32]) -> Vec<u8> {
    let MapPlanes {
        depth_max,
        speed_max,
        velocity,
        hazard_max,
        arrival_s,
        wet_last_s,
        deepest_s,
        duration_s,
        was_wet,
    } = maps;
    let mut out = Vec::new();
    depth_max.iter().for_each(|plane| planes::put_depth(&mut out, plane, bed));
    speed_max.iter().for_each(|plane| planes::put_floats(&mut out, plane));
    if let Some(hazard_max) = hazard_max {
        match foretold_hazards(scale, depth_max, speed_max) {
            None => planes::put_floats(&mut out, hazard_max),
            Some(foretold) => {
                let foretold = foretold.zip(hazard_max);
                let of = |(bits, hazard): (u32, &f32)| (bits ^ hazard.to_bits()).cast_signed();
                planes::put_ints(&mut out, &foretold.map(of).collect::<Vec<i32>>());
            }
        }
    }
    let times = [arrival_s, wet_last_s, deepest_s, was_wet].into_iter().flatten();
    for plane in velocity.iter().flatten().chain(times) {
        planes::put_floats(&mut out, plane);
    }
    if let Some(plane) = duration_s {
        planes::put_wide(&mut out, plane.iter().map(|seconds| seconds.to_bits()));
    }
    out
}

impl Packer for Packing {
    fn water(&self, water: &Water, ground: &Ground) -> Arc<dyn Place<Water>> {
        let packed = PackedWater::of(water, &ground.bed, &self.counts);
        debug_assert!(bits_of(&packed.read().expect(WHOLE)) == bits_of(water), "the same water");
        if packed.sums.iter().any(|&sum| sum != 0) || packed.packed.bytes[0] != 0 {
            return Arc::new(packed);
        }
        // Depths and contents are 0 or more.
        Arc::<PackedWater>::clone(self.dry.get_or_init(|| Arc::new(packed)))
    }

    fn infiltrated(&self, plane: &CowPlane<i32>) -> Arc<dyn Place<CowPlane<i32>>> {
        let mut out = Vec::new();
        planes::put_ints(&mut out, plane);
        Arc::new(PackedPlane(Packed::new(out, &self.counts)))
    }

    fn maps(&self, maps: &LeafMaps, ground: &Ground) -> Arc<dyn Place<MapPlanes>> {
        let (kinds, scale, bed) = (maps.kinds(), maps.scale(), &ground.bed);
        let bytes = maps_bytes(maps, scale, bed);
        let packed = |bytes, bed: &CowPlane<i32>| {
            let (packed, bed) = (Packed::new(bytes, &self.counts), bed.clone());
            Arc::new(PackedMaps { packed, bed, scale, kinds })
        };
        let unseen = self.unseen.get_or_init(|| {
            let flat = CowPlane::zeros();
            packed(maps_bytes(&MapPlanes::unseen(kinds), scale, &flat), &flat)
        });
        if bytes == *unseen.packed.bytes {
            return Arc::<PackedMaps>::clone(unseen);
        }
        let packed = packed(bytes, bed);
        debug_assert!(
            maps_bits(&packed.read().expect(WHOLE)).eq(maps_bits(maps)),
            "the same flood maps"
        );
        packed
    }
}

/// All bits of the water of a leaf.
fn bits_of(water: &Water) -> (Vec<i32>, Vec<u32>, Vec<i64>) {
    let Water { depth, flow_x, flow_y, contents } = water;
    let flows = flow_x.iter().chain(flow_y).map(|q| q.to_bits());
    (depth.to_vec(), flows.collect(), contents.iter().flatten().copied().collect())
}

/// All bits of the flood maps of a leaf.
fn maps_bits(maps: &MapPlanes) -> impl Iterator<Item = u64> + '_ {
    let depths = maps.depth_max.iter().flatten().map(|h| u64::from(h.cast_unsigned()));
    let durations = maps.duration_s.iter().flatten().map(|seconds| seconds.to_bits());
    let floats = maps.floats().flatten();
    depths.chain(floats.map(|value| u64::from(value.to_bits()))).chain(durations)
}
