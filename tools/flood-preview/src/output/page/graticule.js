// Lines of whole coordinates over the map, with their values along its west and south side.

/** Smallest distance of two lines, px: room for a northing of seven digits. */
const LINES_APART = 90;

class Graticule {
  constructor() {
    this.root = byId("graticule");
  }

  /** Draws the lines of a map whose north-west corner is at a place of the view, of some size. */
  draw(left, top, [width, height]) {
    this.root.replaceChildren();
    if (!(width > 0 && height > 0)) return;
    const { west, north, step_x: dx, step_y: dy, columns, rows, factor } = record.grid;
    const room = [this.root.clientWidth, this.root.clientHeight];
    // The part of the map that is seen.
    const [x0, y0] = [Math.max(left, 0), Math.max(top, 0)];
    const [x1, y1] = [Math.min(left + width, room[0]), Math.min(top + height, room[1])];
    const perPixel = [(columns * factor * dx) / width, (rows * factor * dy) / height];
    const least = LINES_APART * Math.max(...perPixel);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].find((round) => round * power >= least) * power;
    const line = (ends) => this.root.append(svg("line", ends));
    for (let at = Math.ceil((west + (x0 - left) * perPixel[0]) / step); ; at += 1) {
      const x = left + (at * step - west) / perPixel[0];
      if (x > x1) break;
      line({ x1: x, x2: x, y1: y0, y2: y1 });
      this.label(at * step, step, 0, [x + 3, y1 - 5], room);
    }
    for (let at = Math.floor((north - (y0 - top) * perPixel[1]) / step); ; at -= 1) {
      const y = top + (north - at * step) / perPixel[1];
      if (y > y1) break;
      line({ x1: x0, x2: x1, y1: y, y2: y });
      this.label(at * step, step, 1, [x0 + 4, y - 4], room);
    }
  }

  /** The value of a line, if nothing that stands over the map is in its way. */
  label(value, step, axis, [x, y], [width, height]) {
    const text = this.words(value, step, axis);
    const right = x + 6 * text.length;
    const isFree = right < width && y > 14 && y < height - 2 && !(right > width - 175
      && y > height - 48) && !(x < 50 && y < 136) && !(right > width - 44 && y < 66)
      && !(axis === 1 && y > height - 24);
    if (isFree) this.root.append(svg("text", { x, y }, text));
  }

  /** `382 000 E`; `7.45° W`; without a CRS `x 1 200`. */
  words(value, step, axis) {
    const { crs, unit } = record.grid;
    const digits = Math.abs(value).toFixed(decimals(step));
    const [whole, fraction] = digits.split(".");
    const number = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") + (fraction ? `.${fraction}` : "");
    if (unit === "°") return `${number}° ${(axis ? ["N", "S"] : ["E", "W"])[value < 0 ? 1 : 0]}`;
    const signed = value < 0 ? `−${number}` : number;
    return crs === null ? `${axis ? "y" : "x"} ${signed}` : `${signed} ${axis ? "N" : "E"}`;
  }

  /** Boxes of the labels in the window. */
  boxes() {
    return [...this.root.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
  }
}

