// Faces of halo tiles of sub-grid columns: `tile::columns::rows::FaceLookup` of thalweg. It stands
// behind the texts of levels and of halo tiles.
//
// Columns of halo tiles are flat, and so are the faces between them. Those on the near sides of a
// tile belong to the leaf before it: they have its tables.

// Gives the west and south faces of a cell of a halo tile the tables of the leaves before it, NONE
// where none of its level lies there.
fn table_faces(here: At, leaves: vec2<u32>) {
  for (var axis = 0u; axis < 2u; axis = axis + 1u) {
    let first = here.slot * TABLE_PLANES + OPENINGS_AT + axis * OPENING_WORDS;
    let across = select(here.cell >> 6u, here.cell & 63u, axis == 0u);
    let leaf = select(leaves.y, leaves.x, axis == 0u);
    if (across != 0u || leaf == NONE) {
      column_tables[(first + 1u) * 4096u + here.cell] = FLAT_TOP;
      column_tables[(first + 4u) * 4096u + here.cell] = 0u;
      continue;
    }
    let far = far_table(leaf, axis, select(here.cell & 63u, here.cell >> 6u, axis == 0u));
    for (var word = 0u; word < OPENING_WORDS; word = word + 1u) {
      column_tables[(first + word) * 4096u + here.cell] = table_value(far, word);
    }
  }
}

// The sill of a face between flat columns: the higher bed.
fn lay_sill(here: At, axis: u32, bed_before: i32) {
  let first = here.slot * TABLE_PLANES + OPENINGS_AT + axis * OPENING_WORDS;
  if (column_tables[(first + 1u) * 4096u + here.cell] == FLAT_TOP) {
    let sill = max(beds[one(here)], bed_before);
    column_tables[first * 4096u + here.cell] = bitcast<u32>(sill);
  }
}

@compute @workgroup_size(256)
fn table_coarse_tiles(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, COARSE_TILES, COARSE_TILE_WORDS);
  if (entry == NONE) {
    return;
  }
  let leaves = vec2(tables[entry + FINE_AT + 3u], tables[entry + FINE_AT + 1u]);
  table_faces(At(tables[entry], group.x * 256u + thread), leaves);
}
@compute @workgroup_size(256)
fn table_finer_tiles(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, FINE_TILES, FINE_TILE_WORDS);
  if (entry == NONE) {
    return;
  }
  let leaves = vec2(tables[entry + 6u], tables[entry + 7u]);
  table_faces(At(tables[entry], group.x * 256u + thread), leaves);
}

// Sills in halo tiles of finer leaves, once all beds there are noted.
@compute @workgroup_size(256)
fn lay_finer_sills(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = finer_cell(group, thread);
  if (tile.entry == NONE) {
    return;
  }
  let own = At(tables[tile.entry], within(tile.cell));
  for (var axis = 0u; axis < 2u; axis = axis + 1u) {
    let before = within(tile.cell - along(axis));
    let is_own = select(tile.cell.y, tile.cell.x, axis == 0u) != 0;
    let slot = select(tables[tile.entry + 8u + axis], own.slot, is_own);
    lay_sill(own, axis, beds[slot * 4096u + before]);
  }
}
