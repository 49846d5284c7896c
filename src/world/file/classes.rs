//! Classes of cells in a file: layer `Classes`, an extent for each tile of the simulated level with
//! ground. Part 0 is the class of roughness, part 1 + i that under layer i of forcing.

use crate::world::World;
use crate::world::classes::ClassMap;
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH};
use thalweg_engine::store::codec::{decode_ints, encode_ints};
use thalweg_engine::store::{Extents, Key, Layer, StoreError};
use thalweg_engine::terrain::Terrain;

/// Returns the extents of all classes of a world.
pub fn class_extents(world: &World) -> Vec<(Key, Vec<u8>)> {
    let mut extents = Vec::new();
    for (part, ClassMap(tiles)) in world.site.classes() {
        let part = u16::try_from(part).expect("few layers");
        for (&tile, classes) in tiles {
            let mut plane = [0; TILE_CELLS];
            plane.iter_mut().enumerate().for_each(|(i, cell)| *cell = i32::from(classes.at(i)));
            let mut bytes = Vec::new();
            encode_ints(&plane, &mut bytes);
            extents.push((Key { layer: Layer::Classes, tile, part }, bytes));
        }
    }
    extents
}

/// Reads the classes of one kind; `keys` are those of the layer.
pub fn read_classes(store: &dyn Extents, keys: &[Key], part: u16) -> Result<ClassMap, StoreError> {
    let (mut map, mut bytes) = (ClassMap::default(), Vec::new());
    for &key in keys.iter().filter(|key| key.part == part) {
        if key.tile.level > Terrain::LEVELS {
            return Err(StoreError::Damaged { key: Some(key), what: "no world has such a level" });
        }
        let damaged = |what| StoreError::Damaged { key: Some(key), what };
        store.get(key, &mut bytes)?;
        let mut plane = [0; TILE_WIDTH * TILE_WIDTH];
        decode_ints(&bytes, &mut plane).map_err(|_| damaged("they do not decode"))?;
        let classes: Result<Vec<u16>, _> =
            plane.iter().map(|&class| u16::try_from(class)).collect();
        map.0.insert(
            key.tile,
            classes.map_err(|_| damaged("a class is not from 0 to 65535"))?.into(),
        );
    }
    Ok(map)
}
