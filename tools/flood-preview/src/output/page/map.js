// The map: classes over the shaded bed on a canvas, with zoom, pan, a pointer and keys.

/** Room beside the map from which on legend and values stand side by side, px. */
const ROOMY_PANEL = 600;

class FloodMap {
  constructor(relief, onPointer, onPin) {
    Object.assign(this, { relief, onPointer, onPin, paper: null });
    this.canvas = byId("map");
    this.view = byId("view");
    this.sheet = byId("sheet");
    this.graticule = new Graticule();
    const { columns, rows, enlarge } = record.grid;
    this.canvas.width = columns * enlarge;
    this.canvas.height = rows * enlarge;
    this.image = new ImageData(this.canvas.width, this.canvas.height);
    this.place = { zoom: 1, x: 0, y: 0 };
    this.named = [];
    this.shadeGround();
    this.layPaper();
    this.drawShapes();
    this.markStructures();
    this.markDeepest();
    this.markGauges();
    this.markShapes();
    this.listen();
    this.listenToKeys();
    this.fit();
  }

  /** Brightness of every canvas pixel, smooth between cells; 255 is outside. */
  shadeGround() {
    const { columns, rows, enlarge } = record.grid;
    const shade = new Uint8Array(this.canvas.width * this.canvas.height);
    const counts = this.relief.counts;
    const ends = (pixel, count) => {
      const low = Math.max(0, (pixel + 0.5) / enlarge - 0.5);
      const first = Math.min(Math.floor(low), count - 1);
      return [first, Math.min(first + 1, count - 1), low - Math.floor(low)];
    };
    for (let py = 0, at = 0; py < this.canvas.height; py += 1) {
      const [north, south, dy] = ends(py, rows);
      const row = Math.floor(py / enlarge) * columns;
      for (let px = 0; px < this.canvas.width; px += 1, at += 1) {
        const here = counts[row + Math.floor(px / enlarge)];
        const [west, east, dx] = ends(px, columns);
        const value = (column, line) => {
          const there = counts[line * columns + column];
          return there === NOTHING ? here : there;
        };
        const top = value(west, north) * (1 - dx) + value(east, north) * dx;
        const bottom = value(west, south) * (1 - dx) + value(east, south) * dx;
        shade[at] = here === NOTHING ? 255 : Math.round(top * (1 - dy) + bottom * dy);
      }
    }
    this.shade = shade;
  }

  /** The picture of the backdrop, a colour for each canvas pixel. */
  async loadPaper() {
    const { picture } = record.backdrop ?? {};
    if (!picture) return;
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    const { width, height } = this.canvas;
    Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, width, height);
    this.picture = context.getImageData(0, 0, width, height).data;
    this.showBackdrop(true);
  }

  /** Shows or hides the backdrop; the map is to be drawn anew. */
  showBackdrop(isShown) {
    this.paper = isShown ? this.picture ?? null : null;
    this.sheet.classList.toggle("bare", !isShown);
    this.layPaper();
  }

  /** The colour of each canvas pixel where it is dry, and its brightness below water: the relief,
   *  on the paper of a backdrop darker as that is; the rules are those of map.rs. */
  layPaper() {
    const { paper, shade } = this;
    const dry = this.palette([]);
    this.lit = shade;
    this.ground = Uint32Array.from(shade, (bright) => dry[bright]);
    if (!paper) return;
    this.lit = new Uint8Array(shade);
    const parts = new Uint8Array(this.ground.buffer);
    for (let at = 0; at < shade.length; at += 1) {
      if (shade[at] === 255) continue;
      const [red, green, blue] = paper.subarray(4 * at, 4 * at + 3);
      for (let part = 0; part < 3; part += 1) {
        const index = 4 * at + part;
        parts[index] = Math.round((parts[index] * paper[index]) / 255);
      }
      this.lit[at] = Math.round((shade[at] * (0.3 * red + 0.59 * green + 0.11 * blue)) / 255);
    }
  }

  /** Draws a plane of counts, water before the event in a colour of its own, and hatched a plane
   *  below the ground; the rules are those of map.rs. */
  draw(plane, classes, below = null, before = null) {
    if (plane.paint) this.paint(plane.paint, before ? [...classes, before] : classes);
    else this.fill(plane, classes);
    if (below) this.hatch(below, classes);
    this.canvas.getContext("2d").putImageData(this.image, 0, 0);
  }

  fill(plane, classes) {
    const table = classTable({ ...plane, classes });
    const palette = this.palette(classes);
    const pixels = new Uint32Array(this.image.data.buffer);
    const { columns, enlarge } = record.grid;
    const { width, height } = this.canvas;
    for (let py = 0, at = 0; py < height; py += 1) {
      const row = Math.floor(py / enlarge) * columns;
      for (let px = 0; px < width; px += 1, at += 1) {
        const cell = enlarge === 1 ? at : row + Math.floor(px / enlarge);
        const index = table[plane.counts[cell]];
        pixels[at] = index === 0 ? this.ground[at] : palette[(index << 8) | this.lit[at]];
      }
    }
  }

  /** Stripes over what is drawn, as far as a pixel has water below the ground. */
  hatch(plane, classes) {
    const table = classTable({ ...plane, classes });
    const palette = new Uint8Array(this.palette(classes).buffer);
    const { data } = this.image;
    const { columns, enlarge } = record.grid;
    const { width, height } = this.canvas;
    for (let py = 0, at = 0; py < height; py += 1) {
      const row = Math.floor(py / enlarge) * columns;
      for (let px = 0; px < width; px += 1, at += 1) {
        if ((px + py) % 6 >= 3) continue;
        const cell = row + Math.floor(px / enlarge);
        const code = plane.paint ? plane.paint[cell] : table[plane.counts[cell]] * PARTS;
        if (code === 0) continue;
        const wet = 4 * this.lit[at] + 1024 * Math.ceil(code / PARTS);
        const cover = (((code - 1) % PARTS) + 1) / PARTS;
        for (let part = 0; part < 4; part += 1) {
          const before = data[4 * at + part];
          data[4 * at + part] = Math.round(before + (palette[wet + part] - before) * cover);
        }
      }
    }
  }

  /** Draws pixels of many cells, or with water before the event: each colour covers the ground as
   *  far as its pixel is wet. */
  paint(paint, classes) {
    const palette = new Uint8Array(this.palette(classes).buffer);
    const ground = new Uint8Array(this.ground.buffer);
    const { data } = this.image;
    const { columns, enlarge } = record.grid;
    const { width, height } = this.canvas;
    for (let py = 0, at = 0; py < height; py += 1) {
      const row = Math.floor(py / enlarge) * columns;
      for (let px = 0; px < width; px += 1, at += 1) {
        const code = paint[row + Math.floor(px / enlarge)];
        const wet = 4 * this.lit[at] + 1024 * Math.ceil(code / PARTS);
        const cover = code === 0 ? 0 : (((code - 1) % PARTS) + 1) / PARTS;
        for (let part = 0; part < 4; part += 1) {
          const dry = ground[4 * at + part];
          data[4 * at + part] = Math.round(dry + (palette[wet + part] - dry) * cover);
        }
      }
    }
  }

  /** Colour by class (0 is bare ground) and brightness. */
  palette(classes) {
    const opaque = ([red, green, blue]) =>
      ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
    const palette = new Uint32Array((classes.length + 1) << 8).fill(opaque(record.outside));
    for (let shade = 0; shade < 255; shade += 1) {
      const bright = Math.min(1, shade * this.relief.step);
      palette[shade] = opaque([255, 253, 247].map((white) => white * bright));
      classes.forEach(({ colour }, index) => {
        const lit = colour.map((part) => Math.min(255, part * (0.86 + 0.16 * bright)));
        palette[((index + 1) << 8) | shade] = opaque(lit);
      });
    }
    return palette;
  }

  /** The lines and outlines of the backdrop, below those of structures. */
  drawShapes() {
    const { shapes } = record.backdrop ?? { shapes: [] };
    const lines = shapes.filter(({ is_point: isPoint }) => !isPoint);
    byId("lines").append(...lines.map(({ path }) => svg("polyline", { class: "shape",
      points: path.map((at) => at.join(",")).join(" ") })));
  }

  /** Dots and names of the backdrop: last of all, so that their names leave room for others. */
  markShapes() {
    const { shapes } = record.backdrop ?? { shapes: [] };
    for (const { name, path, is_point: isPoint } of shapes) {
      if (!isPoint && !name) continue;
      const at = path[isPoint ? 0 : path.length >> 1];
      const { columns, rows, factor } = record.grid;
      if (at[0] < 0 || at[1] < 0 || at[0] > columns * factor || at[1] > rows * factor) continue;
      this.mark(at.map((value) => value - 0.5), name ?? "", isPoint ? "place" : "along");
    }
  }

  /** A line for each barrier, a thinner one for each section, with an arrow where its discharge is
   *  positive, and for each link, with dots, a dashed one for each tunnel, an outline for each deck;
   *  with their names. */
  markStructures() {
    this.marks = byId("marks");
    const { west, north, step_x: dx, step_y: dy, columns, rows, factor } = record.grid;
    const lines = byId("lines");
    lines.setAttribute("viewBox", `0 0 ${columns * factor} ${rows * factor}`);
    const drawn = (kind) => ({ name, path }) =>
      [name, path.map(([x, y]) => [(x - west) / dx, (north - y) / dy]), kind];
    const ofKind = (kind) => record.rocks.filter((rock) => rock.kind === kind);
    const tunnels = ofKind("tunnel").map(drawn("tunnel"));
    const bridges = ofKind("bridge");
    const decks = bridges.map(({ name, outline: path }) => drawn("deck")({ name, path }));
    const lineOf = [...record.barriers.map(drawn("crest")), ...record.links.map(drawn("pipe")),
      ...record.sections.map(drawn("section"))];
    for (const part of ["rim", ""]) {
      const all = [...decks, ...tunnels, ...lineOf].filter(([, path]) => path.length > 1);
      lines.append(...all.map(([, path, kind]) => svg("polyline", { class: `${kind} ${part}`.trim(),
        points: path.map((at) => at.join(",")).join(" ") })));
    }
    const isOn = ([x, y]) => x >= 0 && y >= 0 && x <= columns * factor && y <= rows * factor;
    // A barrier may reach beyond the map: its name is half way along what is on the map.
    const onMap = (path) => {
      const along = path.slice(1).flatMap((to, piece) => Array.from({ length: 65 }, (_, step) =>
        path[piece].map((from, axis) => from + (to[axis] - from) * step / 64)));
      const points = along.filter(isOn);
      return points[points.length >> 1];
    };
    const all = [...bridges.map(drawn("deck")), ...tunnels, ...lineOf];
    for (const [name, path, kind] of all) {
      const [a, b] = [path[Math.max((path.length >> 1) - 1, 0)], path[path.length >> 1]];
      const centre = [0, 1].map((axis) => (a[axis] + b[axis]) / 2);
      const middle = (isOn(centre) ? centre : onMap(path) ?? centre).map((at) => at - 0.5);
      const shown = all.length <= 24 ? name : "";
      if (kind === "section") this.arrow(middle, shown, [a, b]);
      else if (shown) this.mark(middle, shown, "line");
      if (kind !== "pipe") continue;
      for (const at of path) this.mark(at.map((v) => v - 0.5), "", "end");
    }
  }

  /** An arrow to the right of a piece of a line, from one point to another. */
  arrow(middle, name, [[x, y], [toX, toY]]) {
    const { element: arrow } = this.mark(middle, name, "flow");
    arrow.style.setProperty("--turn", `${Math.atan2(toX - x, y - toY)}rad`);
  }

  markDeepest() {
    const { deepest } = record;
    if (deepest) this.mark(deepest.cell, deepest.label, "peak");
  }

  /** Gauges have their number of the table in their dot, and their name beside it. */
  markGauges() {
    const { gauges } = record;
    gauges.forEach(({ cell, name }, index) => {
      if (!cell) return;
      const mark = this.mark(cell, gauges.length <= 24 ? name : "", "");
      if (gauges.length <= 99) mark.element.firstChild.textContent = index + 1;
    });
  }

  /** Puts a dot on a cell of the simulation, with a name if it has one. */
  mark(cell, text, kind) {
    const made = element("div", "", `mark ${kind}`);
    const name = text ? element("span", text) : null;
    made.append(element("i"), ...(name ? [name] : []));
    this.marks.append(made);
    const mark = { element: made, name, kind };
    this.named.push(mark);
    this.putMark(mark, cell);
    return mark;
  }

  putMark(mark, [column, row]) {
    const { factor, columns, rows } = record.grid;
    mark.share = [(column + 0.5) / factor / columns, (row + 0.5) / factor / rows];
    mark.element.style.left = `${100 * mark.share[0]}%`;
    mark.element.style.top = `${100 * mark.share[1]}%`;
  }

  unmark(mark) {
    mark?.element.remove();
    this.named = this.named.filter((other) => other !== mark);
  }

  /** Marks one cell of the simulation; null takes the mark away. */
  pin(cell) {
    this.unmark(this.pinned);
    this.pinned = cell && this.mark(cell, "", "pin");
    this.name();
  }

  /** Moves the cross of the keyboard to a cell; null takes it away. */
  cross(cell) {
    this.unmark(this.crossed);
    this.crossed = cell && this.mark(cell, "", "cross");
    this.crossedCell = cell;
  }

  /** Sizes the sheet to its place, keeping the map's proportions: beside the legend the whole map
   *  ends with the first screen, and the legend takes the room that a narrow map leaves. */
  fit() {
    const { width, height } = this.canvas;
    const split = byId("split");
    const isBeside = window.innerWidth > 900;
    const top = this.view.getBoundingClientRect().top + window.scrollY;
    const most = isBeside ? Math.max(320, window.innerHeight - top - 26) : window.innerHeight * 0.78;
    split.classList.toggle("roomy",
      isBeside && split.clientWidth - (most * width) / height > ROOMY_PANEL);
    const shown = Math.floor(Math.min(this.view.clientWidth, (most * width) / height));
    const room = this.view.clientWidth;
    this.sheet.style.width = `${shown}px`;
    this.margin = (room - shown) / 2;
    this.move(this.place.zoom, this.place.x, this.place.y);
  }

  /** Places the names for the zoom; what stands over the whole map is left free. */
  name() {
    const { zoom } = this.place;
    const [width, height] = [this.sheet.offsetWidth * zoom, this.sheet.offsetHeight * zoom];
    for (const mark of this.named) mark.at = [mark.share[0] * width, mark.share[1] * height];
    const corner = this.view.getBoundingClientRect();
    const fixed = ["north", "scale", "zoom"].map((id) => byId(id).getBoundingClientRect());
    const over = zoom > 1 ? [] : [...fixed, ...this.graticule.boxes()].map((box) => {
      const [x, y] = [corner.left + this.view.clientLeft + this.margin, corner.top];
      return [box.left - x, box.top - y, box.right - x, box.bottom - y];
    });
    placeNames(this.named, [-this.margin, 0, width + this.margin, height], over);
  }

  /** Zooms and moves the sheet, but never off its place. */
  move(zoom, x, y) {
    const { offsetWidth: width, offsetHeight: height } = this.sheet;
    const bounded = (value, size) => Math.min(0, Math.max(size * (1 - zoom), value));
    this.place = { zoom, x: bounded(x, width), y: bounded(y, height) };
    this.sheet.style.transform =
      `translate(${this.place.x}px, ${this.place.y}px) scale(${zoom})`;
    this.sheet.style.setProperty("--shrink", 1 / zoom);
    this.view.classList.toggle("moved", zoom > 1);
    const ratio = (width * zoom) / this.canvas.width;
    this.canvas.classList.toggle("crisp", ratio >= 1.5);
    this.scaleBar(width * zoom);
    this.graticule.draw(this.margin + this.place.x, this.place.y, [width * zoom, height * zoom]);
    this.name();
  }

  /** Shows a cell in the middle, larger than the whole map. */
  lookAt(cell) {
    this.move(1, 0, 0);
    const box = this.view.getBoundingClientRect();
    const [x, y] = this.pointOf(cell);
    this.zoomAt(4, x, y);
    const { zoom, x: left, y: top } = this.place;
    this.move(zoom, left + box.left + box.width / 2 - x, top + box.top + box.height / 2 - y);
  }

  /** Where a cell's centre stands in the window. */
  pointOf([column, row]) {
    const box = this.canvas.getBoundingClientRect();
    const { columns, rows, factor } = record.grid;
    return [box.left + (box.width * (column + 0.5)) / factor / columns,
      box.top + (box.height * (row + 0.5)) / factor / rows];
  }

  /** Zooms by a factor about a point of the view. */
  zoomAt(factor, clientX, clientY) {
    const { zoom, x, y } = this.place;
    const next = Math.min(24, Math.max(1, zoom * factor));
    const box = this.view.getBoundingClientRect();
    const [cx, cy] = [clientX - box.left - this.margin, clientY - box.top];
    this.move(next, cx - ((cx - x) * next) / zoom, cy - ((cy - y) * next) / zoom);
  }

  scaleBar(shown) {
    const { cell_m: cell, columns, factor } = record.grid;
    const bar = byId("scale");
    bar.hidden = cell === null;
    if (bar.hidden) return;
    const pixel = (cell * factor * columns) / shown;
    const length = roundBelow(Math.min(140, this.view.clientWidth / 3) * pixel);
    bar.querySelector("span").textContent = metres(length);
    bar.querySelector("i").style.width = `${length / pixel}px`;
  }

  /** The cell of the simulation under a pointer; null beside the map. */
  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const { columns, rows, factor, width, height } = record.grid;
    const column = ((event.clientX - box.left) / box.width) * columns * factor;
    const row = ((event.clientY - box.top) / box.height) * rows * factor;
    const inside = column >= 0 && row >= 0 && column < width && row < height;
    return inside ? [Math.floor(column), Math.floor(row)] : null;
  }

  listen() {
    const middle = () => {
      const box = this.view.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    };
    byId("closer").addEventListener("click", () => this.zoomAt(1.6, ...middle()));
    byId("further").addEventListener("click", () => this.zoomAt(1 / 1.6, ...middle()));
    byId("whole").addEventListener("click", () => this.move(1, 0, 0));
    this.view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoomAt(Math.exp(-event.deltaY * 0.004), event.clientX, event.clientY);
    }, { passive: false });
    this.listenToPointer();
    new ResizeObserver(() => this.fit()).observe(this.view.parentNode);
    window.addEventListener("resize", () => this.fit());
  }

  /** Arrows move the cross and take the view with it, Enter marks, + − and 0 zoom. */
  listenToKeys() {
    const zoom = { "+": 1.6, "=": 1.6, "-": 1 / 1.6, "−": 1 / 1.6 };
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    this.view.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { key } = event;
      const cell = this.crossedCell ?? this.cellInTheMiddle();
      if (zoom[key]) this.zoomAt(zoom[key], ...this.pointOf(cell));
      else if (key === "0" || key === "Home") this.move(1, 0, 0);
      else if (key === "Enter" || key === " ") this.onPin(cell);
      else if (key === "Escape" && this.crossedCell) this.goTo(null);
      else if (ways[key]) this.goTo(this.beside(cell, ways[key], event.shiftKey));
      else return;
      event.preventDefault();
    });
    this.view.addEventListener("blur", () => this.goTo(null));
  }

  /** Puts the cross on a cell, and into the view. */
  goTo(cell) {
    this.cross(cell);
    this.onPointer(cell, true);
    if (!cell) return;
    const box = this.view.getBoundingClientRect();
    const [x, y] = this.pointOf(cell);
    const into = (at, low, high) => Math.max(low + 30 - at, 0) + Math.min(high - 30 - at, 0);
    const { zoom, x: left, y: top } = this.place;
    this.move(zoom, left + into(x, box.left, box.right), top + into(y, box.top, box.bottom));
  }

  cellInTheMiddle() {
    const box = this.view.getBoundingClientRect();
    const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
    return this.cellAt(at) ?? [record.grid.width >> 1, record.grid.height >> 1];
  }

  /** A cell a fiftieth of the shown map away, or the next one. */
  beside(cell, way, isNext) {
    const { width, height, factor } = record.grid;
    const far = Math.round(Math.max(width, height) / 50 / this.place.zoom);
    const step = isNext ? factor : Math.max(factor, far);
    return [width, height].map((size, axis) =>
      Math.min(Math.max(cell[axis] + way[axis] * step, 0), size - 1));
  }

  /** A drag moves the sheet, a click pins a cell, anything else reads. */
  listenToPointer() {
    let start = null;
    this.sheet.addEventListener("pointerdown", (event) => {
      start = { x: event.clientX, y: event.clientY, place: this.place, far: false };
      this.onPointer(this.cellAt(event));
    });
    this.view.addEventListener("pointermove", (event) => {
      this.onPointer(this.cellAt(event));
      if (!start || this.place.zoom === 1) return;
      const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
      start.far ||= Math.hypot(dx, dy) > 4;
      if (!start.far) return;
      this.view.setPointerCapture(event.pointerId);
      this.move(start.place.zoom, start.place.x + dx, start.place.y + dy);
    });
    this.view.addEventListener("pointerup", (event) => {
      if (start && !start.far) this.onPin(this.cellAt(event));
      start = null;
    });
    this.view.addEventListener("pointercancel", () => (start = null));
    this.view.addEventListener("pointerleave", () => this.onPointer(null));
  }
}

