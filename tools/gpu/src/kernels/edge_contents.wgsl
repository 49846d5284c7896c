// What goes of tracers over faces of the boundary: `sim::tracers` of thalweg. It stands between the
// text of contents and that of edges.

// TracerBooks::fill, at the start of a step or at its end, with so many units.
fn fill_over(face: u32, here: At, units: i32, is_end: bool) {
  for (var tracer = 0u; units != 0 && tracer < tracer_count(); tracer = tracer + 1u) {
    let source = tables[step.tracers_at + 5u] + face;
    let came = mul32(incoming(tracer, source), u32(units));
    let place = content_at(here, tracer);
    if (is_end) {
      contents_new[place] = add64(contents_new[place], came);
    } else {
      contents[place] = add64(contents[place], came);
    }
    book_content(tracer, tables[step.tracers_at + 6u] + 2u * face, came);
  }
}

// TracerBooks::drain, of a cell of such a depth.
fn drain_over(face: u32, here: At, units: i32, depth: i32) {
  for (var tracer = 0u; tracer < tracer_count(); tracer = tracer + 1u) {
    let place = content_at(here, tracer);
    let went = content_share(contents[place], units, depth);
    contents[place] = sub64(contents[place], went);
    book_content(tracer, tables[step.tracers_at + 6u] + 2u * face + 1u, went);
  }
}
