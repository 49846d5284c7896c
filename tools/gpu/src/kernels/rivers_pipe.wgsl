// Rivers between virtual pipes: `sim::river_faces::Faced::pipe` of thalweg.

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
  let face = own.first + thread;
  if (face >= own.end) {
    return;
  }
  let behind = behind_of(own, word(face, SIDE));
  if (!is_carried(face, behind)) {
    return;
  }
  let over = faced(face, own, behind);
  let left = cell_at(own.record, behind.at - behind.along);
  let right = cell_at(own.record, behind.at);
  let far_left = cell_at(own.record, behind.at - behind.along + behind.beside);
  let far_right = cell_at(own.record, behind.at + behind.beside);
  let along_plane = behind.axis * 4096u;
  let across_plane = 4096u - along_plane;
  let near = ADD(flow(west(left) + across_plane), flow(west(right) + across_plane));
  let far = ADD(flow(west(far_left) + across_plane), flow(west(far_right) + across_plane));
  let p = PRO(0.25, ADD(near, far));
  let q = flow(west(right) + along_plane);
  let before = vec2(over.opening_old, over.rise_old);
  let part = shallower(q, 1.0, before, vec2(over.opening, over.rise));
  let n2 = PRO(0.5, ADD(n2_of(left), n2_of(right)));
  let new_face = advance_face(OldFace(q, p, part), flow_depth_of(over.opening), over.rise, n2);
  flows_new[west(right) + along_plane] = bitcast<u32>(new_face.q);
}
