//! Planes as bytes: their number, and the speed of the codec.
//!
//! Limits:     speeds are for one thread whose plane and bytes are in its caches, the slowest kind
//!             of plane; dry planes are faster by far.

mod planes;
mod rates;

use crate::store::codec::planes::WetTile;
use crate::store::codec::rates::Rates;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use thalweg_engine::store::codec;

/// Bytes and speeds of the codec.
pub const BENCH: Bench = Bench {
    ids: &[
        "store.ratio_bed",
        "store.ratio_dry",
        "store.ratio_wet",
        "store.ratio_flow",
        "store.decode_gbs",
        "store.encode_mbs",
    ],
    what: "planes of a marsh, a valley and its flood: bytes over those of raw planes, and speed",
    is_long: false,
    measure,
};

/// Rasters of ground, and their names.
const GROUNDS: [(&str, &str); 2] =
    [("marsh", "heightmaps/tidal_marsh_2m.asc"), ("valley", "ea_test5/ea5-10m.asc.gz")];
/// Part of its cells from which a tile of the flood counts as wet.
const WET: f64 = 0.1;
/// Part from which a tile counts among the wettest.
const WETTEST: f64 = 0.4;

fn measure(context: &Context) -> BenchResult {
    let (mut bed, mut grounds) = (Rates::default(), Vec::new());
    for (name, raster) in GROUNDS {
        let mut rates = Rates::default();
        for plane in planes::beds(&planes::terrain(context, raster)?) {
            rates.add(&*plane, codec::encode_ints, codec::decode_ints)?;
        }
        grounds.push(format!("{name}: {rates}"));
        bed = bed.and(rates);
    }
    let (flood, rest) = (planes::flood(context)?, planes::rest(context)?);
    let wetter = |part: f64| flood.iter().filter(move |tile| tile.wet_part() >= part);
    let (wet, wettest) = (WaterBytes::of(wetter(WET))?, WaterBytes::of(wetter(WETTEST))?);
    let dry = WaterBytes::of(flood.iter().filter(|tile| tile.wet_part() <= 0.0))?;
    let lake = WaterBytes::of(rest.iter().filter(|tile| tile.wet_part() > 0.0))?;
    let still = dry.all().and(lake.all());
    let slowest = |rate: fn(&Rates) -> f64| {
        [bed, wet.depth, wet.flow].iter().map(rate).fold(f64::INFINITY, f64::min)
    };
    let pair = |wet: &Rates, wettest: &Rates| {
        format!("from {WET} of the cells on: {wet}\nfrom {WETTEST} on: {wettest}")
    };
    let one = |id, value, unit| Measurement { threads: 1, ..Measurement::new(id, value, unit) };
    let decode = 1.0e-9 * slowest(Rates::decoded_per_s);
    let encode = 1.0e-6 * slowest(Rates::encoded_per_s);
    Ok(vec![
        one("store.ratio_bed", bed.ratio(), "1").target("<= 0.45").note(grounds.join("\n")),
        one("store.ratio_dry", still.ratio(), "1").target("<= 0.02").note(format!(
            "dry, depth and discharges: {}\nlake: {}",
            dry.all(),
            lake.all()
        )),
        one("store.ratio_wet", wet.depth.ratio(), "1")
            .target("<= 0.7")
            .note(pair(&wet.depth, &wettest.depth)),
        one("store.ratio_flow", wet.flow.ratio(), "1").note(pair(&wet.flow, &wettest.flow)),
        one("store.decode_gbs", decode, "GB/s").target(">= 1"),
        one("store.encode_mbs", encode, "MB/s").target(">= 300"),
    ])
}

/// Bytes of the water of tiles.
#[derive(Debug, Clone, Copy, Default)]
struct WaterBytes {
    depth: Rates,
    flow: Rates,
}

impl WaterBytes {
    fn of<'a>(tiles: impl Iterator<Item = &'a WetTile>) -> Result<Self, BenchError> {
        let mut water = Self::default();
        for WetTile { bed, depth, flows } in tiles {
            let encode = |depth: &_, out: &mut _| codec::encode_depth(depth, bed, out);
            let decode = |bytes: &_, depth: &mut _| codec::decode_depth(bytes, bed, depth);
            water.depth.add(&**depth, encode, decode)?;
            for flow in flows {
                water.flow.add(&**flow, codec::encode_floats, codec::decode_floats)?;
            }
        }
        Ok(water)
    }

    fn all(self) -> Rates {
        self.depth.and(self.flow)
    }
}
