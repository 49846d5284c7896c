// What sources bring and sinks take of tracers: `sim::tracers` of thalweg, after the water of a cell.
// It stands between the text of contents and that of forcing.

const MOVERS: u32 = 5u;

// Units that layers and Green and Ampt moved in the cell of a thread, and the depth before each.
var<private> moved_by: array<i32, 5>;
var<private> held_by: array<i32, 5>;
// Depth before inflows.
var<private> held_by_shares: i32;

// Sums of what each moved of a tracer: 16 bits of it in each of four words.
var<workgroup> content_sums: array<atomic<u32>, 20>;

fn note_moved(mover: u32, moved: i32, held: i32) {
  moved_by[mover] = moved;
  held_by[mover] = held;
}
fn note_shares(held: i32) {
  held_by_shares = held;
}

fn add_content(mover: u32, content: vec2<u32>) {
  if (is_none(content)) {
    return;
  }
  atomicAdd(&content_sums[4u * mover], content.x & 0xffffu);
  atomicAdd(&content_sums[4u * mover + 1u], content.x >> 16u);
  atomicAdd(&content_sums[4u * mover + 2u], content.y & 0xffffu);
  atomicAdd(&content_sums[4u * mover + 3u], content.y >> 16u);
}

// TracerBooks::fill and TracerBooks::drain: the content after a mover.
fn moved_content(tracer: u32, mover: u32, is_source: bool, content: vec2<u32>) -> vec2<u32> {
  let units = moved_by[mover];
  if (units == 0) {
    return content;
  }
  if (is_source) {
    let came = mul32(incoming(tracer, mover), u32(units));
    add_content(mover, came);
    return add64(content, came);
  }
  let went = content_share(content, units, held_by[mover]);
  add_content(mover, went);
  return sub64(content, went);
}

fn force_contents(record: u32, here: At, most: i32, thread: u32) {
  for (var tracer = 0u; tracer < tracer_count(); tracer = tracer + 1u) {
    if (thread < 4u * MOVERS) {
      atomicStore(&content_sums[thread], 0u);
    }
    workgroupBarrier();
    let place = content_at(here, tracer);
    var content = contents_new[place];
    for (var layer = 0u; layer < step.layers; layer = layer + 1u) {
      let direction = (step.directions >> (2u * layer)) & 3u;
      content = moved_content(tracer, layer, direction == INTO, content);
    }
    let first = records[record].shares_from;
    var depth = held_by_shares;
    for (var i = first; i < first + records[record].shares_count; i = i + 1u) {
      if (tables[step.shares_at + i] == here.cell) {
        let units = i32(tables[step.share_units_at + i]);
        let moved = min(units, max(most - depth, 0));
        depth = depth + moved;
        let came = mul32(incoming(tracer, LAYERS + i), u32(moved));
        book_content(tracer, step.shares_base + i, came);
        content = add64(content, came);
      }
    }
    content = moved_content(tracer, LAYERS, false, content);
    contents_new[place] = content;
    workgroupBarrier();
    if (thread < MOVERS) {
      var sum = vec2(0u);
      for (var i = 4u; i > 0u; i = i - 1u) {
        let limb = atomicLoad(&content_sums[4u * thread + i - 1u]);
        sum = add64(vec2(sum.x << 16u, (sum.y << 16u) | (sum.x >> 16u)), vec2(limb, 0u));
      }
      book_content(tracer, record * MOVERS + thread, sum);
    }
    workgroupBarrier();
  }
}
