//! Classes of cells in a file: layer `Classes`, an extent for each tile of the simulated level with
//! ground. Part 0 is the class of roughness, part 1 + i that under layer i of forcing.

use crate::grid::TILE_CELLS;
use crate::grid::TILE_WIDTH;
use crate::grid::TileKey;
use crate::grid::cells::CellPlace;
use crate::store::Extents;
use crate::store::Key;
use crate::store::Layer;
use crate::store::StoreError;
use crate::store::codec::decode_ints;
use crate::store::codec::encode_ints;
use crate::terrain::Terrain;
use crate::world::World;
use crate::world::WorldError;
use std::collections::BTreeMap;

/// Classes of the cells of one kind, tile by tile.
#[derive(Debug, Default)]
pub struct ClassMap(BTreeMap<TileKey, Box<[u16]>>);

impl ClassMap {
    /// The class of a base cell of a world of that `level`; 0 where none is known.
    pub fn at(&self, level: u8, place: CellPlace) -> u16 {
        let tile = self.0.get(&TileKey::of_cell(level, place));
        tile.map_or(0, |plane| plane[place.index_in_tile()])
    }
}

/// The extents of all classes of a world.
///
/// # Errors
///
/// [`WorldError::Class`] where a cell that no leaf has shown yet has a class without a value.
pub fn class_extents(world: &World) -> Result<Vec<(Key, Vec<u8>)>, WorldError> {
    let (setup, site) = (&world.setup, &world.site);
    let mut extents = Vec::new();
    let mut put = |tile: TileKey, part: usize, classes: &[u16]| {
        let mut plane = [0; TILE_CELLS];
        plane.iter_mut().zip(classes).for_each(|(cell, &class)| *cell = i32::from(class));
        let mut bytes = Vec::new();
        encode_ints(&plane, &mut bytes);
        let part = u16::try_from(part).expect("few layers");
        extents.push((Key { layer: Layer::Classes, tile, part }, bytes));
    };
    let has_classes = setup.has_roughness || setup.layers.iter().any(|layer| layer.has_classes);
    for tile in site.covers().tiles(site.base()).filter(|_| has_classes) {
        let ground = site.ground(tile)?;
        if let Some(plane) = &ground.roughness {
            put(tile, 0, &plane.iter().map(|&class| u16::from(class)).collect::<Vec<_>>());
        }
        for layer in 0..setup.layers.len() {
            if let Some(plane) = site.layer_classes(layer, tile, &ground)? {
                put(tile, 1 + layer, &plane);
            }
        }
    }
    Ok(extents)
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
        let classes: Result<_, _> = plane.iter().map(|&class| u16::try_from(class)).collect();
        map.0.insert(key.tile, classes.map_err(|_| damaged("they are none"))?);
    }
    Ok(map)
}
