// Series over time as SVG: axes with units, a cursor for the moment shown on the map, a reading
// under the pointer or by arrow keys.
//
// A chart fills the width of its place: by its view box at once, and drawn anew for that width
// (letters keep their size) as soon as the browser reports it.

const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600,
  43200, 86400, 172800, 432000, 864000, 4320000];

/** Time as an axis names it, in the unit of the step. */
function tickTime(seconds, step) {
  if (step < 60) return `${+seconds.toFixed(2)} s`;
  if (step < 3600) return `${+(seconds / 60).toFixed(1)} min`;
  return step < 86400 ? `${seconds / 3600} h` : `${seconds / 86400} d`;
}

class Chart {
  /** spec: { name, title, time, values, unit, digits, height }; optional: bed, a value; observed, a
   *  series { time_s, values } that is laid over the other; elsewhere, the chart that has it. */
  constructor(container, spec) {
    Object.assign(this, { container, spec });
    this.moment = null;
    this.reading = element("output");
    const head = element("div", "", "chart-head");
    head.append(element("span", `${spec.title} (${spec.unit})`),
      ...(spec.observed || spec.elsewhere ? [this.legend()] : []), this.reading);
    this.root = svg("svg", { class: "chart", role: "img", tabindex: 0,
      "aria-label": this.words() });
    container.replaceChildren(head, this.root);
    this.listen();
    this.draw();
    // Charts keep to their places whatever the window does: see also the view box.
    new ResizeObserver(() => {
      if (this.container.clientWidth !== this.drawnFor) this.draw();
    }).observe(container);
  }

  /** What the two lines are. */
  legend() {
    const keys = element("span", "", "chart-keys");
    if (this.spec.elsewhere) {
      keys.append(element("i", "", "observed"), element("span", `under ${this.spec.elsewhere}`));
      return keys;
    }
    for (const kind of ["simulated", "observed"]) {
      keys.append(element("i", "", kind), element("span", kind));
    }
    return keys;
  }

  /** What the chart shows, for those who do not see it. */
  words() {
    const { name, title, time, unit, digits } = this.spec;
    const peak = this.peak();
    if (peak === null) return `${name}: ${title}, no samples`;
    const known = this.spec.values.filter((value) => value !== null);
    return `${name}: ${title} over ${clock(time[time.length - 1] - time[0])}, from ${
      Math.min(...known).toFixed(digits)} to ${Math.max(...known).toFixed(digits)} ${
      unit}, ${this.said(peak)} is the peak${this.saidOfObserved()}. Arrow keys read values.`;
  }

  /** The observed value of a moment, or the observed peak; nothing where there is none. */
  saidOfObserved(moment) {
    const { observed, unit, digits, signed } = this.spec;
    if (!observed?.values.length) return "";
    const said = (value) => `, observed ${value.toFixed(digits).replace("-", "−")} ${unit}`;
    const { time_s: time, values } = observed;
    if (moment === undefined) {
      const size = (value) => (signed ? Math.abs(value) : value);
      const peak = values.reduce((most, value, index) =>
        (size(value) > size(values[most]) ? index : most), 0);
      return `${said(values[peak])} at ${clock(time[peak])}`;
    }
    const next = time.findIndex((at) => at >= moment);
    if (next < 0 || (next === 0 && time[0] > moment)) return "";
    if (time[next] === moment) return said(values[next]);
    const part = (moment - time[next - 1]) / (time[next] - time[next - 1]);
    return said(values[next - 1] + part * (values[next] - values[next - 1]));
  }

  /** The sample furthest from nought of a discharge, the highest of all else. */
  peak() {
    const { values, signed } = this.spec;
    const size = (value) => (signed ? Math.abs(value) : value);
    return values.reduce((most, value, index) => (value !== null
      && (most === null || size(value) > size(values[most])) ? index : most), null);
  }

  said(index) {
    const { time, values, unit, digits } = this.spec;
    return `${values[index].toFixed(digits).replace("-", "−")} ${unit} at ${clock(time[index])}`;
  }

  draw() {
    const { time, values, bed, height = 170 } = this.spec;
    this.drawnFor = this.container.clientWidth;
    const width = Math.max(220, this.drawnFor);
    const known = values.filter((value) => value !== null);
    const [low, high, step] = this.range(known, bed);
    const left = 12 + 7 * Math.max(low.toFixed(decimals(step)).length,
      high.toFixed(decimals(step)).length);
    this.frame = { left, right: width - 10, top: 8, bottom: height - 24 };
    const first = time[0] ?? 0;
    const last = Math.max(time[time.length - 1] ?? 0, first + 1e-6);
    this.x = (t) => left + ((t - first) / (last - first)) * (this.frame.right - left);
    this.t = (x) => first + ((x - left) / (this.frame.right - left)) * (last - first);
    this.y = (v) => this.frame.bottom
      - ((v - low) / (high - low)) * (this.frame.bottom - this.frame.top);

    const { root } = this;
    root.replaceChildren();
    root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.width = width;
    this.axes(root, low, high, step, first, last);
    if (bed !== undefined && bed >= low) this.bedLine(root, bed);
    root.append(...this.curves(known.length ? low : 0), ...this.observedMarks());
    this.cursor = svg("line", { class: "now", y1: this.frame.top, y2: this.frame.bottom });
    this.dot = svg("circle", { class: "dot", r: 4, visibility: "hidden" });
    root.append(this.cursor, this.dot);
    this.rest();
  }

  /** Round limits of the value axis and its step. */
  range(known, bed) {
    const observed = this.spec.observed?.values ?? [];
    let low = Math.min(...known, ...observed, bed ?? Infinity, this.spec.floor ?? Infinity);
    let high = Math.max(...known, ...observed, bed ?? -Infinity);
    if (!Number.isFinite(low)) [low, high] = [0, 1];
    const room = Math.max(high - low, this.spec.least);
    const step = roundBelow(room / 2.5);
    low = Math.floor(low / step + 1e-9) * step;
    high = Math.max(Math.ceil(high / step - 1e-9) * step, low + 2 * step);
    return [low, high, step];
  }

  axes(root, low, high, step, first, last) {
    const { left, right, top, bottom } = this.frame;
    for (let index = 0; low + index * step <= high + step / 2; index += 1) {
      const value = low + index * step;
      const y = this.y(value);
      root.append(svg("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }));
      root.append(svg("text", { x: left - 7, y: y + 4, "text-anchor": "end" },
        value.toFixed(decimals(step)).replace(/^-(?=[0.]*$)/, "").replace("-", "−")));
    }
    root.append(svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
    const most = Math.max(2, Math.floor((right - left) / 72));
    const span = last - first;
    const tick = TIME_STEPS.find((round) => span / round <= most) ?? roundBelow(span / 2);
    const fine = span < 2 ? roundBelow(span / 3) : tick;
    for (let at = Math.ceil(first / fine - 1e-9) * fine; at <= last + 1e-9; at += fine) {
      const x = this.x(at);
      root.append(svg("line", { class: "axis", x1: x, x2: x, y1: bottom, y2: bottom + 4 }));
      const anchor = x > right - 18 ? "end" : "middle";
      root.append(svg("text", { x: anchor === "end" ? right + 8 : x, y: bottom + 18,
        "text-anchor": anchor }, tickTime(at, fine)));
    }
  }

  bedLine(root, bed) {
    const y = this.y(bed);
    const { left, right } = this.frame;
    root.append(svg("line", { class: "bed", x1: left, x2: right, y1: y, y2: y }));
    root.append(svg("text", { class: "bed-name", x: left + 6, y: y - 5 }, "bed"));
  }

  /** The line, broken where nothing was recorded, and the area below it. */
  curves(low) {
    const { time, values } = this.spec;
    let line = "";
    let area = "";
    let open = null;
    const base = this.y(low).toFixed(1);
    values.forEach((value, index) => {
      if (value === null) {
        if (open !== null) area += `V${base}H${open}Z`;
        open = null;
        return;
      }
      const x = this.x(time[index]).toFixed(1);
      const y = this.y(value).toFixed(1);
      line += `${open === null ? "M" : "L"}${x} ${y}`;
      area += open === null ? `M${x} ${base}L${x} ${y}` : `L${x} ${y}`;
      open ??= x;
    });
    if (open !== null) area += `V${base}H${open}Z`;
    return [svg("path", { class: "area", d: area }), svg("path", { class: "line", d: line })];
  }

  /** The observed line, and dots where its readings are few. */
  observedMarks() {
    const { observed } = this.spec;
    if (!observed) return [];
    const places = observed.values.map((value, index) =>
      [this.x(observed.time_s[index]).toFixed(1), this.y(value).toFixed(1)]);
    const line = svg("polyline", { class: "observed", points: places.join(" ") });
    const dots = places.length > 60 ? [] : places.map(([cx, cy]) =>
      svg("circle", { class: "reading", cx, cy, r: 2.6 }));
    return [line, ...dots];
  }

  listen() {
    const { root } = this;
    root.addEventListener("pointermove", (event) => {
      const box = root.getBoundingClientRect();
      this.read(this.nearest(this.t(((event.clientX - box.left) / box.width) * this.width)));
    });
    for (const end of ["pointerleave", "blur"]) root.addEventListener(end, () => this.rest());
    root.addEventListener("keydown", (event) => {
      const last = this.spec.time.length - 1;
      const step = Math.max(1, Math.round(last / 60));
      const from = this.at ?? this.peak() ?? 0;
      const ways = { ArrowLeft: from - step, ArrowRight: from + step, Home: 0, End: last };
      const index = ways[event.key];
      if (index === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.read(Math.min(Math.max(index, 0), last));
    });
  }

  /** The sample nearest to a time. */
  nearest(at) {
    const { time } = this.spec;
    let index = time.findIndex((t) => t >= at);
    if (index < 0) index = time.length - 1;
    return index > 0 && at - time[index - 1] < time[index] - at ? index - 1 : index;
  }

  /** Reads out a sample. */
  read(index) {
    const value = this.spec.values[index];
    if (value === undefined) return;
    this.at = index;
    if (value === null) {
      this.dot.setAttribute("visibility", "hidden");
      this.reading.textContent = `nothing at ${clock(this.spec.time[index])}`;
      return;
    }
    this.dot.setAttribute("cx", this.x(this.spec.time[index]));
    this.dot.setAttribute("cy", this.y(value));
    this.dot.setAttribute("visibility", "visible");
    this.reading.textContent = this.said(index) + this.saidOfObserved(this.spec.time[index]);
  }

  /** At rest the reading is the peak. */
  rest() {
    const peak = this.peak();
    this.at = null;
    this.dot.setAttribute("visibility", "hidden");
    this.reading.textContent = peak === null ? "no samples"
      : `peak ${this.said(peak)}${this.saidOfObserved()}`;
    this.show(this.moment);
  }

  /** Moves the cursor to the moment shown on the map; null hides it. */
  show(moment) {
    this.moment = moment;
    const x = moment === null ? -1 : this.x(moment);
    const inside = x >= this.frame.left - 1 && x <= this.frame.right + 1;
    this.cursor.setAttribute("visibility", inside ? "visible" : "hidden");
    if (inside) {
      this.cursor.setAttribute("x1", x);
      this.cursor.setAttribute("x2", x);
    }
  }
}

