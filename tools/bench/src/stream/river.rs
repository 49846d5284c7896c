//! A flood wave in a river that no observer sees, streamed from its file in cells as coarse as
//! allowed, against the same river in finest cells throughout, in memory.
//!
//! The valley, the wave and the windows are from `subgrid.observers`.

use crate::adaptive::observer;
use crate::subgrid::columns::{KINDS, with_columns};
use crate::subgrid::observers::{COARSEST, END_S, INFLOW, RADII_M, VALLEY, WINDOW_S, off};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{check_books, out_m3};
use std::time::Instant;
use tempfile::tempdir;
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, SaveFile, StreamOptions, World};
use thalweg_engine::store::Store;
use thalweg_engine::store::terrain::write_terrain;

/// Difference of discharges.
pub const BENCH: Bench = Bench {
    ids: &["stream.river"],
    what: "a flood wave through 4 km of valley, streamed with observers far away: largest \
           difference of the discharge at the outlet from finest cells in memory",
    is_long: true,
    measure,
};

/// Place of the observer: in the hills.
const FAR_M: [f64; 2] = [100.0, 4000.0];
const BUDGET_MIB: u64 = 1024;

/// Returns the discharges at the outlet over windows, m³/s, and the time of the run, s.
fn run(mut world: World) -> Result<(Vec<f64>, f64), BenchError> {
    let (mut discharges, mut out) = (Vec::new(), 0.0);
    let clock = Instant::now();
    while world.time().seconds() < END_S {
        let end = WINDOW_S * (discharges.len() + 1) as f64;
        world.run_until(SimTime::from_seconds(end));
        let now = out_m3(&world, "south");
        discharges.push((now - out) / WINDOW_S);
        out = now;
    }
    check_books(&world)?;
    Ok((discharges, clock.elapsed().as_secs_f64()))
}

fn measure(context: &Context) -> BenchResult {
    let settings = VALLEY.settings(context.solver);
    let (finest, wall_s) = run(VALLEY.builder(&INFLOW)?.settings(settings.clone()).build()?)?;
    let mut lines = vec![format!("finest cells, in memory: {finest:.0?} m³/s, {wall_s:.0} s")];
    let folder = tempdir()?;
    let mut store = Store::create(&folder.path().join("valley.thalweg"))?;
    write_terrain(&VALLEY.terrain()?, &mut store)?;
    store.commit()?;
    let mut file = SaveFile::of(store);
    let clock = Instant::now();
    let tiles = file.make_tables(&mut |_| ())?;
    lines.push(format!("tables of {tiles} tiles made in {:.1} s", clock.elapsed().as_secs_f64()));
    let mut last = None;
    for &columns in KINDS {
        let builder = file.builder(StreamOptions { budget_bytes: BUDGET_MIB << 20 })?;
        let builder = VALLEY.river(builder, &INFLOW)?.settings(settings.clone());
        let criteria = vec![observer(FAR_M, &RADII_M, &builder.extent(COARSEST)?)?];
        let options = AdaptiveOptions {
            coarsest: COARSEST,
            budget_cells: 1 << 20,
            criteria,
            ahead_cycles: 8,
            ..AdaptiveOptions::default()
        };
        let world = with_columns(builder.adaptive(options), columns).build()?;
        let (streamed, wall_s) = run(world)?;
        let worst = off(&finest, &streamed);
        lines.push(format!(
            "streamed, {columns}: {streamed:.0?} m³/s, {:.1} % off, {wall_s:.0} s",
            100.0 * worst
        ));
        last = Some(worst);
    }
    let worst = last.ok_or("no kind of columns")?;
    Ok(vec![
        Measurement::new("stream.river", 100.0 * worst, "%")
            .target("<= 2")
            .cells(VALLEY.plan().cells())
            .note(lines.join("\n")),
    ])
}
