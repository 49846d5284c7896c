//! Planes of sleeping leaves as packed bytes in memory.
//!
//! ```text
//! water         rests or flows ── depth over bed ── flows, where some are ── tracers' contents
//! infiltrated   plane
//! maps          planes of the kinds that are kept; hazard as its difference from that of the
//!               largest depth and speed, where both are kept
//! ```
//!
//! The forms of planes are those of the world file; all leaves that were never wet share one set of
//! packed planes. The order of bytes is that of this process: no other process reads them.
//!
//! Guarantees: planes are restored to the bit, NaN and −0 too: the codec keeps bits, and a debug
//!             build compares all that it packs.
//! Limits:     depths over a flat surface take 0.1 bytes a cell; speeds that a leaf has seen are
//!             noise and take three.

use crate::probe::LeafMaps;
use crate::world::file::planes;
use crate::world::relief::beds_kind;
use crate::world::site::WorldSite;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use thalweg_engine::grid::TileKey;
use thalweg_engine::sim::maps::{MapPlanes, MapScale};
use thalweg_engine::sim::residency::{Packer, Residency, Round};
use thalweg_engine::store::StoreError;
use thalweg_engine::store::codec::{Bytes, Corrupt};
use thalweg_engine::stream::{HeldBeds, PageKey, Pager};
use thalweg_engine::tile::columns::LeafColumns;
use thalweg_engine::tile::resident::{AwayPlace, BringReason};
use thalweg_engine::tile::{CowPlane, Ground, MapKinds, Water};
use thalweg_engine::units::Volume;

/// Why packed bytes decode.
const WHOLE: &str = "packed by this process";

/// Places of the planes of a world's leaves; no part of its state.
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
    pub(super) counts: Arc<PackedCounts>,
    dry: OnceLock<Arc<PackedWater>>,
    unseen: OnceLock<Arc<PackedMaps>>,
}

/// Counts of packed planes, which any thread adds to.
#[derive(Debug, Default)]
pub struct PackedCounts {
    /// Bytes that are packed now.
    pub bytes: AtomicU64,
    /// Planes of leaves that were packed.
    pub packed: AtomicU64,
    /// Planes of leaves that were restored before anything waited for them.
    pub ahead: AtomicU64,
    /// Planes of leaves for which something waited.
    pub waits: AtomicU64,
}

impl PackedCounts {
    fn count(&self, demand: BringReason) {
        match demand {
            BringReason::Ahead => self.ahead.fetch_add(1, Ordering::Relaxed),
            BringReason::Now => self.waits.fetch_add(1, Ordering::Relaxed),
            BringReason::Copy | BringReason::Planes => 0,
        };
    }
}

/// Packed bytes, counted as long as they are there.
#[derive(Debug)]
struct PackedBytes {
    bytes: Box<[u8]>,
    counts: Arc<PackedCounts>,
}

impl PackedBytes {
    fn new(bytes: Vec<u8>, counts: &Arc<PackedCounts>) -> Self {
        let packed = Self { bytes: bytes.into_boxed_slice(), counts: Arc::clone(counts) };
        // Each count is read on its own: no access to other memory is ordered by one.
        counts.bytes.fetch_add(packed.size(), Ordering::Relaxed);
        counts.packed.fetch_add(1, Ordering::Relaxed);
        packed
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl Drop for PackedBytes {
    fn drop(&mut self) {
        self.counts.bytes.fetch_sub(self.size(), Ordering::Relaxed);
    }
}

/// The bed on which planes were packed.
#[derive(Debug)]
enum PackedBed {
    /// In memory.
    Here(CowPlane<i32>),
    /// In the world's file.
    Held(Arc<HeldBeds>),
}

impl PackedBed {
    fn read(&self) -> CowPlane<i32> {
        match self {
            Self::Here(bed) => bed.clone(),
            Self::Held(held) => held.read().unwrap_or_else(|error| unread(&error)),
        }
    }
}

/// The water of a leaf.
#[derive(Debug)]
struct PackedWater {
    packed: PackedBytes,
    bed: PackedBed,
    sums: Box<[Volume]>,
}

impl PackedWater {
    fn of(water: &Water, (bed, held): (&[i32], PackedBed), counts: &Arc<PackedCounts>) -> Self {
        let Water { depth, flow_x, flow_y, contents } = water;
        // Bits are compared: −0 equals 0, but unpacking fills planes at rest with 0, not −0.
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
        Self { packed: PackedBytes::new(out, counts), bed: held, sums }
    }

    fn read(&self) -> Result<Water, Corrupt> {
        let mut bytes = Bytes(&self.packed.bytes);
        let rests = bytes.take_byte()? == 0;
        let depth = planes::take_depth(&mut bytes, &self.bed.read())?;
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

impl AwayPlace<Water> for PackedWater {
    fn bring(&self, demand: BringReason) -> Water {
        self.packed.counts.count(demand);
        self.read().expect(WHOLE)
    }

    fn sums(&self) -> &[Volume] {
        &self.sums
    }
}

/// The infiltrated depth of a leaf.
#[derive(Debug)]
struct PackedPlane(PackedBytes);

impl AwayPlace<CowPlane<i32>> for PackedPlane {
    fn bring(&self, demand: BringReason) -> CowPlane<i32> {
        self.0.counts.count(demand);
        planes::take_ints(&mut Bytes(&self.0.bytes)).expect(WHOLE)
    }
}

/// The flood maps of a leaf.
#[derive(Debug)]
struct PackedMaps {
    packed: PackedBytes,
    bed: PackedBed,
    scale: MapScale,
    kinds: MapKinds,
}

impl PackedMaps {
    fn read(&self) -> Result<MapPlanes, Corrupt> {
        let (mut bytes, mut maps) = (Bytes(&self.packed.bytes), MapPlanes::unseen(self.kinds));
        if let Some(plane) = &mut maps.depth_max {
            *plane = planes::take_depth(&mut bytes, &self.bed.read())?;
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

impl AwayPlace<MapPlanes> for PackedMaps {
    fn bring(&self, demand: BringReason) -> MapPlanes {
        self.packed.counts.count(demand);
        self.read().expect(WHOLE)
    }
}

/// Returns bits of the hazard ratings of the largest depths and speeds, as if simultaneous; `None`
/// if one of them is not kept.
fn foretold_hazards<'a>(
    scale: MapScale,
    depth_max: &'a Option<CowPlane<i32>>,
    speed_max: &'a Option<CowPlane<f32>>,
) -> Option<impl Iterator<Item = u32> + 'a> {
    let (depth_max, speed_max) = depth_max.as_ref().zip(speed_max.as_ref())?;
    Some(depth_max.iter().zip(speed_max).map(move |(&h, &v)| scale.hazard(h, v).to_bits()))
}

/// Packs maps on a bed.
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
                // The exclusive or is 0 if the foretold value is right, and restores any value to
                // the bit; a difference of floats would round.
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

/// Finds the places of planes for the leaves of a site.
pub struct PlanePlaces<'a> {
    /// Packs planes.
    pub packing: &'a Packing,
    /// All that grounds are made from.
    pub site: &'a WorldSite,
    /// The setting.
    pub residency: Residency,
}

impl PlanePlaces<'_> {
    /// Returns the bed on which planes of a leaf are packed: the one in its file, if it exists.
    fn bed(&self, key: TileKey, ground: &Ground) -> PackedBed {
        let pager = self.site.relief().in_file().filter(|_| self.residency.lets_ground_go());
        match pager {
            Some(pager) => PackedBed::Held(pager.hold(beds_kind(self.site.columns()).of(key))),
            None => PackedBed::Here(ground.bed.clone()),
        }
    }
}

impl Packer for PlanePlaces<'_> {
    fn ground(&self, key: TileKey, ground: &Ground) -> Option<Arc<dyn AwayPlace<Ground>>> {
        let pager = Arc::clone(self.site.relief().in_file()?);
        let beds = beds_kind(self.site.columns()).of(key);
        let (has_tables, roughness) = (ground.columns.is_some(), ground.roughness.clone());
        let counts = Arc::clone(&self.packing.counts);
        Some(Arc::new(PagedGround { pager, beds, has_tables, roughness, counts }))
    }

    fn water(&self, key: TileKey, water: &Water, ground: &Ground) -> Arc<dyn AwayPlace<Water>> {
        let counts = &self.packing.counts;
        let is_dry = is_dry(water);
        if is_dry && let Some(dry) = self.packing.dry.get() {
            return Arc::<PackedWater>::clone(dry);
        }
        // In a dry leaf the bed plays no part.
        let flat = || (CowPlane::zeros(), PackedBed::Here(CowPlane::zeros()));
        let (bed, held) = if is_dry { flat() } else { (ground.bed.clone(), self.bed(key, ground)) };
        let packed = Arc::new(PackedWater::of(water, (&bed, held), counts));
        if cfg!(any(test, debug_assertions)) {
            assert!(bits_of(&packed.read().expect(WHOLE)) == bits_of(water), "the same water");
        }
        if is_dry {
            // If another thread has packed dry water meanwhile, its copy serves all.
            return Arc::<PackedWater>::clone(self.packing.dry.get_or_init(|| packed));
        }
        packed
    }

    fn infiltrated(&self, plane: &CowPlane<i32>) -> Arc<dyn AwayPlace<CowPlane<i32>>> {
        let mut out = Vec::new();
        planes::put_ints(&mut out, plane);
        Arc::new(PackedPlane(PackedBytes::new(out, &self.packing.counts)))
    }

    fn maps(
        &self,
        key: TileKey,
        maps: &LeafMaps,
        ground: &Ground,
    ) -> Arc<dyn AwayPlace<MapPlanes>> {
        let (kinds, scale, bed) = (maps.kinds(), maps.scale(), &ground.bed);
        let bytes = maps_bytes(maps, scale, bed);
        let packed = |bytes, bed| {
            let packed = PackedBytes::new(bytes, &self.packing.counts);
            Arc::new(PackedMaps { packed, bed, scale, kinds })
        };
        let unseen = self.packing.unseen.get_or_init(|| {
            let flat = CowPlane::zeros();
            let bytes = maps_bytes(&MapPlanes::unseen(kinds), scale, &flat);
            packed(bytes, PackedBed::Here(flat))
        });
        if bytes == *unseen.packed.bytes {
            return Arc::<PackedMaps>::clone(unseen);
        }
        let packed = packed(bytes, self.bed(key, ground));
        if cfg!(any(test, debug_assertions)) {
            let read = packed.read().expect(WHOLE);
            assert!(maps_bits(&read).eq(maps_bits(maps)), "the same flood maps");
        }
        packed
    }

    fn expect(&self, leaves: &[TileKey]) {
        self.site.relief().ask_for_grounds(leaves, self.site.columns());
    }
}

/// The ground of a leaf in the world's file, while it is not edited: an edit makes it anew.
#[derive(Debug)]
struct PagedGround {
    pager: Arc<Pager>,
    beds: PageKey,
    has_tables: bool,
    roughness: Option<CowPlane<u8>>,
    counts: Arc<PackedCounts>,
}

impl AwayPlace<Ground> for PagedGround {
    fn bring(&self, demand: BringReason) -> Ground {
        let Self { pager, beds, has_tables, roughness, counts } = self;
        counts.count(demand);
        let bed = pager.beds(*beds).unwrap_or_else(|error| unread(&error));
        let is_whole = *has_tables && demand != BringReason::Planes;
        let tables = is_whole.then(|| pager.tables(beds.tile));
        let tables = tables.map(|tables| tables.unwrap_or_else(|error| unread(&error)));
        let columns = tables.map(LeafColumns::new);
        Ground { bed, roughness: roughness.clone(), columns }
    }
}

/// Panics: the error breaks the running world and not its file.
fn unread(error: &StoreError) -> ! {
    panic!("the ground of a sleeping leaf can no longer be read from its file: {error}")
}

/// True if the leaf has no water and no motion.
fn is_dry(water: &Water) -> bool {
    let Water { depth, flow_x, flow_y, contents } = water;
    depth.iter().all(|&h| h == 0)
        && [flow_x, flow_y].into_iter().all(|plane| plane.iter().all(|q| q.to_bits() == 0))
        && contents.iter().all(|content| content.iter().all(|&content| content == 0))
}

/// Returns all bits of the water of a leaf.
fn bits_of(water: &Water) -> (Vec<i32>, Vec<u32>, Vec<i64>) {
    let Water { depth, flow_x, flow_y, contents } = water;
    let flows = flow_x.iter().chain(flow_y).map(|q| q.to_bits());
    (depth.to_vec(), flows.collect(), contents.iter().flatten().copied().collect())
}

/// Returns all bits of the flood maps of a leaf.
fn maps_bits(maps: &MapPlanes) -> impl Iterator<Item = u64> + '_ {
    let depths = maps.depth_max.iter().flatten().map(|h| u64::from(h.cast_unsigned()));
    let durations = maps.duration_s.iter().flatten().map(|seconds| seconds.to_bits());
    let floats = maps.floats().flatten();
    depths.chain(floats.map(|value| u64::from(value.to_bits()))).chain(durations)
}
