// The record of the run, and its packed planes.

const record = JSON.parse(byId("record").textContent);
const NOTHING = 65535;
/** Parts of a pixel of many cells that are told apart: PARTS of reduction.rs. */
const PARTS = 64;

/** Counts of a packed plane, given those of the frame before; the reverse of packing.rs. */
async function unpack(packed, before) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const { columns: width, rows: height } = record.grid;
  const size = width * height;
  if (planes.length !== 2 * size) throw new Error("a packed map has the wrong size");
  const changes = new Int16Array(size);
  const counts = new Uint16Array(before ?? size);
  for (let index = 0; index < size; index += 1) {
    const code = (planes[index] << 8) | planes[size + index];
    const residual = (code >> 1) ^ -(code & 1);
    changes[index] = predict(changes, index, width) + residual;
    counts[index] += changes[index];
  }
  return counts;
}

/** What the cells to the west and north let expect (median predictor). */
function predict(changes, index, width) {
  if (index < width) return index === 0 ? 0 : changes[index - 1];
  const north = changes[index - width];
  if (index % width === 0) return north;
  const west = changes[index - 1];
  const corner = changes[index - width - 1];
  if (corner >= Math.max(west, north)) return Math.min(west, north);
  if (corner <= Math.min(west, north)) return Math.max(west, north);
  return west + north - corner;
}

/** A plane of counts with its meaning: value = offset + step · count; and its paint where pixels
 *  are many cells, or some had water before the event, whose class follows the others: 0, or
 *  class · PARTS + parts that are drawn. */
class Plane {
  constructor({ offset, step }, counts, paint = null) {
    Object.assign(this, { offset, step, counts, paint });
  }

  /** The value at a pixel; null where there is none. */
  at(index) {
    const count = this.counts[index];
    return count === NOTHING ? null : this.offset + this.step * count;
  }
}

const open = async (source) => new Plane(source, await unpack(source.packed),
  source.paint ? await unpack(source.paint) : null);

/** The depth over time. A frame is packed as the change from the one before, so frames are
 *  unpacked in order, when they are first needed. */
class Film {
  constructor(frames) {
    Object.assign(this, frames);
    this.paints = frames.paint;
    this.planes = frames.packed.map(() => null);
    this.promises = [];
  }

  get length() {
    return this.times.length;
  }

  frame(index) {
    while (this.promises.length <= index) {
      const next = this.promises.length;
      const before = next > 0 ? this.promises[next - 1] : Promise.resolve(null);
      this.promises.push(before.then(async (plane) => {
        const paint = this.paints[next];
        this.planes[next] = new Plane(this, await unpack(this.packed[next], plane?.counts),
          paint ? await unpack(paint, plane?.paint) : null);
        return this.planes[next];
      }));
    }
    return this.promises[index];
  }

  /** Depth at a pixel in every frame unpacked so far. */
  history(pixel) {
    return this.planes.map((plane) => (plane ? plane.at(pixel) : null));
  }
}

/** The paint of a moment in which water that was there before the event has the class after all
 *  others: in the pixels where the map of the whole run has most of that water. */
function paintedBefore(plane, classes, ofRun) {
  const table = plane.paint ? null : classTable({ ...plane, classes });
  const isBefore = (code) => code > classes.length * PARTS;
  return ofRun.map((code, pixel) => {
    const own = table ? table[plane.counts[pixel]] * PARTS : plane.paint[pixel];
    if (own === 0 || !isBefore(code)) return own;
    return classes.length * PARTS + ((own - 1) % PARTS) + 1;
  });
}

/** The class of each count, as an index from 1; 0 is not drawn. */
function classTable({ offset, step, classes }) {
  const table = new Uint8Array(NOTHING + 1);
  classes.forEach(({ from }, index) => {
    const first = Math.max(0, Math.ceil((from - offset) / step - 1e-4));
    table.fill(index + 1, first);
  });
  table[NOTHING] = 0;
  return table;
}

