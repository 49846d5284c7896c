// Rivers that come in over the boundary of the world: `sim::boundary` and `sim::river_faces` of
// thalweg, but for the face laws of the methods. It stands behind the text of a method and that of
// the faces of edges.
//
// The water is counted first, then the faces behind take it up, then the cells: those laws ask for
// depths without it. Leaves around one that a river comes into are awake: nothing closes its faces.

// sim::boundary::BoundaryFace::let_in, a thread for each cell.
@compute @workgroup_size(64)
fn let_rivers_in(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= step.edge_cells) {
    return;
  }
  let own = edge_cell(id.x);
  let here = at(own.record, own.x, own.y);
  let bed = beds[one(here)];
  var depth = depths_new[one(here)];
  for (var face = own.first; face < own.end; face = face + 1u) {
    if (word(face, KIND) == RIVER) {
      let wanted = max(-wanted_over(own.record, face, own.x, own.y), 0);
      let early = bitcast<i32>(word(face, EARLY));
      let came = take_in(face, wanted - early, room_of(here, bed), depth);
      put(face, MOVED, bitcast<u32>(-early - came));
      fill_over(face, here, came, true);
      depth = depth + came;
    }
  }
}

// Cells take the water that came late.
@compute @workgroup_size(64)
fn take_rivers(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= step.edge_cells) {
    return;
  }
  let own = edge_cell(id.x);
  let here = one(at(own.record, own.x, own.y));
  var came = 0;
  for (var face = own.first; face < own.end; face = face + 1u) {
    if (word(face, KIND) == RIVER) {
      came = came - bitcast<i32>(word(face, MOVED)) - bitcast<i32>(word(face, EARLY));
    }
  }
  let depth = depths_new[here] + came;
  depths_new[here] = depth;
  if (step.is_last != 0u && step.is_forced == 0u && depth != 0) {
    atomicOr(&reports[own.record].state, wet_part(vec2(own.x, own.y), depth));
  }
}

// The face behind one on a side of a cell: its axis, the cell behind it, the steps to that before it
// and to that beside it, and 1 where inward is eastward or northward, else -1.
struct Behind {
  axis: u32,
  at: vec2<i32>,
  along: vec2<i32>,
  beside: vec2<i32>,
  inward: f32,
}
fn behind_of(own: EdgeCell, side: u32) -> Behind {
  let is_low = (side & 1u) == 0u;
  let along = select(vec2(0, 1), vec2(1, 0), side < 2u);
  let beside = select(vec2(1, 0), vec2(0, 1), side < 2u);
  let place = vec2(own.x, own.y) + select(vec2(0, 0), along, is_low);
  return Behind(side >> 1u, place, along, beside, select(-1.0, 1.0, is_low));
}
// Whether a face is a river's, and the same leaf has the face behind it, which no other changes.
fn is_carried(face: u32, behind: Behind) -> bool {
  let is_own = behind.at.x < 64 && behind.at.y < 64;
  return word(face, KIND) == RIVER && (word(face, TRAITS) & IS_OVERRULED) == 0u && is_own;
}
fn cell_at(record: u32, place: vec2<i32>) -> At {
  return at(record, place.x, place.y);
}

// sim::river_faces::Faced: depths are those of the kernel, without the river's water that came late.
struct Faced {
  came: i32,
  late: i32,
  opening_old: i32,
  rise_old: i32,
  opening: i32,
  rise: i32,
  // Two depths may be more than an i32 holds.
  volume: u32,
  held: i32,
  carried: f32,
}
// `saturating_add` and `saturating_sub` of 0 or more.
fn raised(height: i32, by: i32) -> i32 {
  if (height > 0x7fffffff - by) {
    return 0x7fffffff;
  }
  return height + by;
}
fn lowered(height: i32, by: i32) -> i32 {
  let lowest = bitcast<i32>(0x80000000u);
  if (height < lowest + by) {
    return lowest;
  }
  return height - by;
}
fn faced(face: u32, own: EdgeCell, behind: Behind) -> Faced {
  let left = one(cell_at(own.record, behind.at - behind.along));
  let right = one(cell_at(own.record, behind.at));
  let early = bitcast<i32>(word(face, EARLY));
  let came = -bitcast<i32>(word(face, MOVED));
  let late = came - early;
  let bed = vec2(beds[left], beds[right]);
  let sill = max(bed.x, bed.y);
  let before = bed + vec2(depths[left], depths[right]);
  let depth = vec2(depths_new[left], depths_new[right]);
  let after = bed + depth + select(vec2(0, late), vec2(late, 0), behind.inward > 0.0);
  var opening_old = max(before.x, before.y) - sill;
  var opening = max(after.x, after.y) - sill;
  let held = depths[one(at(own.record, own.x, own.y))] - early;
  var rise_old = before.y - before.x;
  var rise = after.y - after.x;
  var carried = 1.0;
  if (COLUMNS) {
    let here = cell_at(own.record, behind.at);
    let there = cell_at(own.record, behind.at - behind.along);
    let slopes = slopes_new(there, here);
    carried = carried_part(max_f(slopes.x, slopes.y));
    opening_old = column_int(here, OPEN_OLD + behind.axis);
    opening = raised(column_int(here, OPEN_NEW + behind.axis), late);
    rise_old = column_int(here, STAGE_OLD) - column_int(there, STAGE_OLD);
    rise = column_int(here, STAGE_NEW) - column_int(there, STAGE_NEW);
    rise = select(raised(rise, late), lowered(rise, late), behind.inward > 0.0);
  }
  let volume = bitcast<u32>(depth.x) + bitcast<u32>(depth.y);
  return Faced(came, late, opening_old, rise_old, opening, rise, volume, held, carried);
}
