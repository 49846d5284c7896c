// The boundary of the world: `sim::boundary` and `sim::boundary_step` of thalweg.
// It stands behind the text of the pipe, whose face law it needs, of the bounds of quiet water and of
// the faces of edges.
//
// A thread has a cell with its faces to the outside: all take their new discharges, then one after
// the other moves its water.

// sim::boundary_step::Through
struct Through {
  arriving: f32,
  along: vec2<f32>,
}
fn through_cell(record: u32, x: i32, y: i32) -> Through {
  let here = at(record, x, y);
  let w = flow(west(here));
  let s = flow(south(here));
  let e = flow_over(record, 1u, x == 63, west(at(record, x + 1, y)));
  let n = flow_over(record, 3u, y == 63, south(at(record, x, y + 1)));
  let arriving = ADD(SUB(w, e), SUB(s, n));
  return Through(arriving, vec2(PRO(0.5, ADD(w, e)), PRO(0.5, ADD(s, n))));
}

// The discharge over the face of a cell on a far side: that of a leaf beyond with shorter steps as it
// is now.
fn flow_over(record: u32, side: u32, is_at_side: bool, face: u32) -> f32 {
  if (is_at_side && is_faster(record, side)) {
    let beyond = records[record].others[side] * 8192u + (face & 8191u);
    return flow_in(faster_turned(), beyond);
  }
  return flow(face);
}

// What a river brings over a face: bits of an outward discharge, m^2/s, never those of -0.
fn river_over(face: u32) -> u32 {
  if (word(face, KIND) != RIVER) {
    return 0u;
  }
  let brought = bitcast<f32>(tables[step.rivers_at + word(face, LAW)]);
  let inward = bitcast<u32>(PRO(brought, number(face, PART)));
  return select(inward ^ 0x80000000u, 0u, (inward & 0x7fffffffu) == 0u);
}

// sim::boundary::BoundaryFace::flow_depth, and leaving.
fn flow_depth_over(face: u32, bed: i32, stage: i32, slope: f32) -> FlowDepth {
  if (!COLUMNS) {
    return flow_depth_of(stage - bed);
  }
  let table = edge_table(face);
  let opening = opening_at(table, max(stage - lowest_sill(table), 0));
  return flow_depth_through(opening, vec2(slope));
}
fn flow_depth_leaving(face: u32, bed: i32, own: Surface, depth: i32) -> FlowDepth {
  if (!COLUMNS) {
    return flow_depth_of(depth);
  }
  let table = edge_table(face);
  let over = max(own.stage - lowest_sill(table), 0);
  let fall = DIV(number(face, SLOPE), step.slope_of_unit);
  let covered = min_f(DIV(f32(over), max_f(fall, 1.0)), 1.0);
  let least = vec2(PRO(covered, covered), 1.0);
  let opening = running(opening_at(table, over), depth, least, 1.0);
  return flow_depth_through(opening, vec2(own.slope));
}

// sim::boundary::BoundaryFace::discharge: whether the face is too busy for its leaf to sleep.
fn take_discharge(
  face: u32, own: Surface, bed: i32, depth: i32, n2: f32, through: Through,
) -> bool {
  if (word(face, KIND) > STAGE) {
    let q = river_over(face);
    put(face, DISCHARGE, q);
    return q != 0u;
  }
  if (word(face, KIND) != OPEN) {
    let given = bitcast<i32>(tables[step.stages_at + word(face, LAW)]);
    let sill = sill_over(face, bed);
    let stage = max(given, sill);
    let here = flow_depth_over(face, bed, max(own.stage, stage), own.slope);
    let noise = stage - own.stage;
    let rise = select(noise, 0, abs(noise) <= own.quantum);
    let next = advance_face(OldFace(number(face, DISCHARGE), 0.0, 1.0), here, rise, n2);
    let is_falling = (own.stage - sill) >> WEIR_SHIFT < rise;
    let critical = PRO(SQRT(PRO(step.gravity, here.flowing)), here.h_f);
    var most_in = critical;
    if (is_falling) {
      most_in = PRO(WEIR, critical);
    }
    let most_out = max_f(critical, PRO(through.arriving, number(face, SHARE)));
    let q = flush(max_f(-most_in, min_f(next.q, most_out)));
    put(face, DISCHARGE, bitcast<u32>(q));
    if (step.quiet_at == 0u) {
      return next.is_active;
    }
    return next.is_active && quiet_is_active(bounds(), PRO(abs_f(q), here.per_depth), here, rise, n2);
  }
  let share = number(face, SHARE);
  let expected_before = number(face, EXPECTED);
  let expected = flush(PRO(through.arriving, share));
  var gain = expected_before;
  let units_per_flow = number(face, UNITS_PER_FLOW);
  if (units_per_flow > 0.0) {
    gain = DIV(PRO(f32(depth - bitcast<i32>(word(face, LEFT))), share), units_per_flow);
  }
  let here = flow_depth_leaving(face, bed, own, depth);
  let slope = number(face, SLOPE);
  let sea = bitcast<i32>(tables[step.stages_at + word(face, SEA)]);
  let dam = bitcast<i32>(word(face, DAM));
  let has_sea = sea > dam;
  let sill = sill_over(face, bed);
  let is_below_sea = has_sea && own.stage < sea + ((sea - sill) >> SEA_SHIFT);
  let rise = bitcast<i32>(word(face, RISE));
  let is_uphill = slope < -SLOPE_SURE || own.stage - sill < rise << RISE_SHIFT;
  let is_closed = here.opening <= 0 || depth == 0 || is_uphill || is_below_sea;
  let arriving = flush(ADD(gain, SUB(expected, expected_before)));
  let along = flush(select(through.along.x, through.along.y, word(face, SIDE) < 2u));
  var q = 0.0;
  if (!is_closed) {
    let before = vec2(slope, number(face, DISCHARGE));
    q = open_discharge(before, here, n2, vec3(gain, arriving, along));
  }
  if (dam < CEILING && q < 0.0) {
    q = 0.0;
  }
  put(face, DISCHARGE, bitcast<u32>(q));
  put(face, EXPECTED, bitcast<u32>(expected));
  return abs_f(q) > PRO(here.h_f, BUSY_SPEED);
}

// sim::boundary::BoundaryFace::transfer: the depth of its cell after it.
fn transfer_over(record: u32, face: u32, x: i32, y: i32, bed: i32, depth: i32) -> i32 {
  let here = at(record, x, y);
  let most = room_of(here, bed);
  put(face, MOVED, 0u);
  put(face, EARLY, 0u);
  let q = number(face, DISCHARGE);
  if (q == 0.0) {
    return depth;
  }
  let wanted = wanted_over(record, face, x, y);
  if (word(face, KIND) == RIVER) {
    if ((word(face, TRAITS) & IS_EARLY) == 0u) {
      return depth;
    }
    let early = take_in(face, max(-wanted, 0) >> 1u, most, depth);
    fill_over(face, here, early, false);
    put(face, EARLY, u32(early));
    put(face, MOVED, u32(-early));
    return depth + early;
  }
  let sill = sill_over(face, bed);
  let stage = surface_of(here, bed, depth).stage;
  let room = (CEILING - stage) >> 2u;
  var given = 0x7fffffff;
  let credit = vec2(word(face, CREDIT), word(face, CREDIT + 1u));
  if (word(face, KIND) != OPEN) {
    given = max(bitcast<i32>(tables[step.stages_at + word(face, LAW)]) - sill, 0);
  } else if ((credit.y & 0x80000000u) != 0u) {
    given = 0;
  } else if (credit.y == 0u && credit.x < 0x7fffffffu) {
    given = bitcast<i32>(credit.x);
  }
  var moved = max(min(wanted, min(depth, max(stage - sill, 0))), -min(room, given));
  if (moved > 0) {
    count(face, WENT, moved);
    drain_over(face, here, moved, depth);
  } else {
    moved = -min(-moved, max(most - depth, 0));
    count(face, CAME, -moved);
    fill_over(face, here, -moved, false);
  }
  put(face, MOVED, bitcast<u32>(moved));
  let change = vec2(bitcast<u32>(moved), select(0u, 0xffffffffu, moved < 0));
  let after = add64(credit, change);
  put(face, CREDIT, after.x);
  put(face, CREDIT + 1u, after.y);
  put(face, DISCHARGE, bitcast<u32>(scaled(q, wanted, moved)));
  return depth - moved;
}

// sim::boundary_step::pace, with shallow water.
fn pace_at_end(face: u32, depth: i32, slope: f32, through: Through) -> f32 {
  let q = number(face, DISCHARGE);
  if (step.counts_ends == 0u || q == 0.0 || depth == 0) {
    return 0.0;
  }
  let depth_m = PRO(f32(depth), step.unit_m);
  let along = select(through.along.x, through.along.y, word(face, SIDE) < 2u);
  let speed = DIV(ADD(abs_f(q), abs_f(along)), depth_m);
  let wave = SQRT(PRO(step.gravity, PRO(depth_m, slope)));
  return PRO(1.4, ADD(min_f(speed, PRO(16.0, wave)), MUL(1.4142135, wave)));
}

@compute @workgroup_size(64)
fn step_edges(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= step.edge_cells) {
    return;
  }
  let own = edge_cell(id.x);
  let record = own.record;
  let x = own.x;
  let y = own.y;
  let here = at(record, x, y);
  let bed = beds[one(here)];
  var depth = depths[one(here)];
  let n2 = n2_of(here);
  let through = through_cell(record, x, y);
  let surface = surface_of(here, bed, depth);
  var is_busy = false;
  var pace = 0.0;
  for (var face = own.first; face < own.end; face = face + 1u) {
    is_busy = take_discharge(face, surface, bed, depth, n2, through) || is_busy;
    pace = max_f(pace, pace_at_end(face, depth, surface.slope, through));
  }
  for (var face = own.first; face < own.end; face = face + 1u) {
    depth = transfer_over(record, face, x, y, bed, depth);
  }
  for (var face = own.first; face < own.end; face = face + 1u) {
    put(face, LEFT, bitcast<u32>(depth));
    put(face, UNITS_PER_FLOW, bitcast<u32>(step.units_per_flow));
  }
  depths[one(here)] = depth;
  if (is_busy) {
    atomicOr(&reports[record].state, BUSY);
  }
  if (pace > 0.0) {
    atomicMax(&reports[record].pace_at_ends, bitcast<u32>(pace));
  }
}

// sim::boundary_momentum::show_boundary: transfers over the boundary, for maps. Those over the far
// sides of a leaf belong to no cell of it: they stand in a row of the leaf's own behind all faces.
@compute @workgroup_size(64)
fn show_edges(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= step.edge_cells) {
    return;
  }
  let own = edge_cell(id.x);
  let record = own.record;
  let x = own.x;
  let y = own.y;
  for (var face = own.first; face < own.end; face = face + 1u) {
    let side = word(face, SIDE);
    let moved = bitcast<i32>(word(face, MOVED));
    if (side == 0u) {
      transfers[west(at(record, x, y))] = -moved;
    } else if (side == 2u) {
      transfers[south(at(record, x, y))] = -moved;
    } else if (side == 1u && x < 63) {
      transfers[west(at(record, x + 1, y))] = moved;
    } else if (side == 3u && y < 63) {
      transfers[south(at(record, x, y + 1))] = moved;
    } else {
      let along = select(64u + u32(x), u32(y), side == 1u);
      edges[records[record].far_edges + along] = bitcast<u32>(moved);
    }
  }
}
