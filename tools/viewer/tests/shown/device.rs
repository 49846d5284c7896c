//! A card steps the world while a card draws it.

use std::path::Path;

use testkit::Display;
use thalweg::terrain::Terrain;
use thalweg::world::{SaveFile, WorldBuilder};

use crate::program::viewer;

/// Somebody digs, saves, and drops a crate, which no card steps.
const SCRIPT: &str = "size = [160, 120]\nframes_per_s = 2\n\
    [[scene]]\nfor_s = 2\nspeed = 4\nhud = false\n\
    do = [{ raise = { at = [60, 60], radius_m = 9, by_m = -1 } }]\n\
    [[scene]]\nfor_s = 1\nspeed = 4\nkeys = [\"f5\"]\n\
    [[scene]]\nfor_s = 1\nspeed = 4\ndo = [{ crate = { at = [20, 60], width_m = 2 } }]\n";

/// Saves a pool on a slope.
fn put_world(path: &Path) {
    let terrain = Terrain::from_heights([128, 128], 1.0, |x, _| 10.0 - 0.02 * x as f64);
    let world = WorldBuilder::new(terrain.expect("a map"))
        .initial_depth(|place| if place.x < 40 { 2.0 } else { 0.0 })
        .build()
        .expect("a good world");
    SaveFile::create(path, &world).expect("room");
}

fn has_driver() -> bool {
    let failure = gpu::Device::open().err();
    let demanded = std::env::var_os("THALWEG_VULKAN").is_some();
    assert!(failure.is_none() || !demanded, "{failure:?}");
    failure.is_none()
}

/// Goal: a film on a card is that on the processor, with the same world at its end. Method: the
/// card is asked for all cycles until there is a crate; what was saved before, and the last frame.
#[test]
fn a_film_ends_in_the_same_world_on_any_device() {
    let Some(display) = Display::open() else { return };
    if !has_driver() {
        return;
    }
    let [cpu, gpu] = ["cpu", "gpu"].map(|device| {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name).to_str().expect("plain words").to_owned();
        put_world(Path::new(&at("pool.thalweg")));
        std::fs::write(at("film.toml"), SCRIPT).expect("room");
        let (world, script, frames) = (at("pool.thalweg"), at("film.toml"), at("frames"));
        let words = [&*world, "--device", device, "--script", &script, "--frames", &frames];
        let output = viewer(Some(&display), folder.path(), &words).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let mut file = SaveFile::open(Path::new(&world)).expect("a file");
        let world = file.load(Vec::new()).expect("a world");
        let last = std::fs::read(at("frames/frame-0008.png")).expect("eight frames");
        (world.time(), world.state_hash(), last, said)
    });
    assert!(cpu.0.seconds() > 9.0, "it was saved at {:?}", cpu.0);
    assert_eq!((cpu.0, cpu.1), (gpu.0, gpu.1));
    assert!(cpu.2 == gpu.2, "the last frames differ");
    let of_card = |said: &str| {
        let lines = said.lines().filter(|line| line.contains("graphics card"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(of_card(&cpu.3).is_empty(), "{}", cpu.3);
    let lines = of_card(&gpu.3);
    let is_one = lines.len() == 1 && lines[0].contains(" cannot step bodies yet: the processor");
    assert!(is_one, "{lines:?}");
}
