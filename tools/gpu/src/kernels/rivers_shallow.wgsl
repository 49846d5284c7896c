// Rivers between cells of shallow water: `sim::river_faces::Faced::shallow` of thalweg. It stands
// behind the text of shallow water at edges.

fn river_flow(face: u32, own: EdgeCell, behind: Behind) -> f32 {
  let over = faced(face, own, behind);
  let here = flow_depth_of(over.opening);
  if (over.opening <= 0 || here.h_f < DEPTH_DRY_M) {
    return 0.0;
  }
  let inward = behind.inward;
  let axis = i32(behind.axis);
  let place = behind.at - vec2(own.x, own.y);
  let at_face = near_face(axis, place.x, place.y);
  let roughness = roughness_at(axis, place.x, place.y);
  let n2 = PRO(0.5, ADD(roughness.x, roughness.y));
  let pull = select(step.gravity_ratio, PRO(here.a, here.per_depth), here.a_free > here.a);
  let k = PRO(PRO(PRO(step.friction, here.slowness), n2), here.drag);
  let v = mean_across(axis, at_face);
  let speed = PRO(speeds[at_face], inward);
  let volume = max_f(f32(over.volume + bitcast<u32>(over.late)), 1.0);
  let held_m = max_f(PRO(f32(over.held), step.unit_m), number(face, RIVER_DEPTH));
  let most = face_params_speed_most(over.opening);
  // Water that nothing held comes as fast as may be.
  var river = most;
  if (held_m > 0.0) {
    river = min_f(DIV(-number(face, DISCHARGE), held_m), most);
  }
  let right = west(cell_at(own.record, behind.at)) + behind.axis * 4096u;
  let transfer_sum = ADD(f32(over.came), MUL(f32(transfers[right]), inward));
  let gained = PRO(PRO(over.carried, transfer_sum), SUB(river, speed));
  var memory = speed;
  if (gained != 0.0) {
    memory = ADD(speed, DIV(gained, volume));
  }
  let fall = PRO(PRO(f32(over.rise), inward), step.unit_m);
  let star = SUB(memory, MUL(pull, fall));
  let total = SQRT(ADD(MUL(star, star), MUL(v, v)));
  let resistance = ADD(1.0, SQRT(ADD(1.0, MUL(PRO(4.0, k), total))));
  let new_speed = DIV(PRO(2.0, star), resistance);
  return PRO(PRO(inward, max_f(-most, min_f(new_speed, most))), here.h_f);
}

@compute @workgroup_size(64)
fn carry_over_rivers(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let i = group.x + group.y * 32768u;
  if (i >= step.edge_cells) {
    return;
  }
  let own = edge_cell(i);
  take_near(own, thread);
  let face = own.first + thread;
  if (face >= own.end) {
    return;
  }
  let behind = behind_of(own, word(face, SIDE));
  if (is_carried(face, behind)) {
    let right = west(cell_at(own.record, behind.at)) + behind.axis * 4096u;
    let word = bitcast<u32>(river_flow(face, own, behind));
    // Never -0.
    flows_new[right] = select(word, 0u, (word & 0x7fffffffu) == 0u);
  }
}
