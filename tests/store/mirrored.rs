//! A world that is mirrored whole is a world.
//!
//! Goal: the world opens as the one that was saved, to the bit.
//! Method: a dam break that is saved, mirrored and opened, again and again.

use crate::follow::{catch_up, check_equal, mirror_of};
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{SaveFile, WorldBuilder};
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::follow::{Feed, Follow, Mirror};

#[test]
fn a_mirror_of_a_world_is_that_world() {
    let scale = VerticalScale::choose(0.0, 8.0, 20.0).expect("a range");
    let options =
        TerrainOptions { width: 200, height: 130, cell_width_m: 2.0, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options).expect("a map");
    for row in 0..130_u32 {
        let bed_m = |x: u32| 2.0 + (f64::from(x) * 0.1).sin() + (f64::from(row) * 0.07).cos();
        terrain.push_row(&(0..200).map(bed_m).collect::<Vec<_>>()).expect("a row");
    }
    let mut world = WorldBuilder::new(terrain.finish().expect("a map"))
        .initial_stage(|place| if place.x < 90 { 6.0 } else { 2.0 })
        .build()
        .expect("a good world");
    let mut file = SaveFile::create_on(Box::new(Memory::default()), &world).expect("memory");
    let whole = Follow::default();
    let mut mirror = mirror_of(&whole);
    let mut feed = Feed::new(file.store().reader(), &mirror.ask());
    for minute in 1..5 {
        world.run_until(SimTime::from_seconds(4.0 * f64::from(minute)));
        file.save(&world).expect("memory");
        catch_up(&mut mirror, &mut feed);
        check_equal(&mirror, &file.store().reader(), &whole);
        let mut copy = SaveFile::of(mirror.into_store());
        let opened = copy.load(Vec::new()).expect("a world");
        assert_eq!(opened.state_hash(), world.state_hash());
        mirror = Mirror::new(copy.into_store(), whole.clone()).expect("memory");
    }
}
