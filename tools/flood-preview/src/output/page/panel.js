// The panel beside the map: legend, and what is known about a place.

function showLegend() {
  const layer = record.layers.find(({ key }) => key === state.layer);
  const { classes } = layer ?? record.frames;
  const { factor } = record.grid;
  byId("heading").textContent = layer ? layer.heading : "Depth over time";
  const before = layer ? layer.before : film.before;
  const keys = before ? [...classes, before] : classes;
  byId("legend").replaceChildren(...keys.map(({ colour, label }) => {
    const item = element("li");
    const swatch = element("i");
    swatch.style.background = `rgb(${colour.join(",")})`;
    item.append(swatch, element("span", label));
    return item;
  }), ...(layer?.below ? [hatchKey(classes)] : []), ...structureKeys());
  byId("remark").textContent = (layer ? layer.remark
    : "Depth of the water at each moment.")
    + (factor > 1 ? ` A pixel is ${factor} × ${factor} cells: its colour is that of the mean of those `
      + `in a class, and the paler, the fewer they are; below stands the highest (of times the `
      + `earliest).` : "");
  press(byId("layers"), state.layer);
  byId("view").setAttribute("aria-label", `Map: ${byId("heading").textContent}`);
}

/** What the hatching means, in the colour of a middle class. */
function hatchKey(classes) {
  const { colour } = classes[classes.length >> 1];
  const item = element("li");
  const swatch = element("i");
  const stripe = `rgb(${colour.join(",")})`;
  swatch.style.background =
    `repeating-linear-gradient(135deg, ${stripe} 0 3px, #0000 3px 6px)`;
  item.append(swatch, element("span", "Hatched: below a deck or the ground"));
  return item;
}

/** What the marks of the deepest water, of decks, tunnels and sections mean, where there are some. */
function structureKeys() {
  const isThere = (kind) => record.rocks.some((rock) => rock.kind === kind);
  return [[record.deepest !== null, "peak", "Deepest water over flooded ground"],
    [isThere("bridge"), "deck", "Deck of a bridge"], [isThere("tunnel"), "tunnel", "Tunnel"],
    [record.sections.length > 0, "flow", "Section: discharge is positive this way"],
    [record.backdrop?.shapes.length > 0, "shape", `Backdrop: ${record.backdrop?.name}`]]
    .filter(([isShown]) => isShown)
    .map(([, name, label]) => {
      const item = element("li");
      item.append(element("i", "", `key ${name}`), element("span", label));
      return item;
    });
}

/** Number with unit, or a dash. */
const quantity = (value, step, unit) =>
  (typeof value === "number" ? `${value.toFixed(decimals(step))} ${unit}`.trim() : "–");

function position([column, row]) {
  const { west, north, step_x: dx, step_y: dy, unit } = record.grid;
  const digits = unit === "°" ? decimals(dx / 10) : decimals(Math.min(dx, 1));
  const [x, y] = [west + (column + 0.5) * dx, north - (row + 0.5) * dy];
  return [`${x.toFixed(digits)} ${unit}`.trim(), `${y.toFixed(digits)} ${unit}`.trim()];
}

/** ", extreme": the first word of the class, where classes have names. */
function hazardName(key, value) {
  if (key !== "hazard" || value === null) return "";
  const { classes } = record.layers.find((layer) => layer.key === key);
  const found = classes.findLast(({ from }) => value >= from - 1e-5);
  return found ? `, ${found.label.split(" ")[0].toLowerCase()}` : "";
}

/** The class of a cell in words: how sure it is that it was flooded. */
const certainty = (value) =>
  (value === null ? "–" : ["surely dry", "unsure", "surely flooded"][Math.round(value)]);

/** True where the maps of the run show water that was there before the event. */
function wasWater(pixel) {
  const { key, classes } = record.layers[0];
  const { paint } = state.planes[key];
  return paint !== null && paint[pixel] > classes.length * PARTS;
}

/** Everything known about a cell at the present moment: name, value, and whether it moves. */
function readings(cell) {
  const pixel = pixelOf(cell);
  const { bed } = state.planes;
  const ground = bed.at(pixel);
  const [x, y] = position(cell);
  const lines = [["East", x], ["North", y]];
  if (ground === null) return [...lines, ["Bed", "outside the map"]];
  lines.push(["Bed", quantity(ground, bed.step, "m")]);
  if (wasWater(pixel)) lines.push(["Before the event", "under water"]);
  const plane = film.planes[state.moment];
  if (plane && state.layer === OVER_TIME) {
    const depth = plane.at(pixel);
    lines.push(["Depth now", quantity(depth, plane.step, "m"), "now"]);
    const stage = depth > 0 ? ground + depth : null;
    lines.push(["Water surface", quantity(stage, Math.max(plane.step, bed.step), "m"), "now"]);
  }
  for (const { key, heading, unit } of record.layers) {
    const value = state.planes[key].at(pixel);
    const never = key === "arrival" && value === null;
    const text = key === "certainty" ? certainty(value)
      : key === "arrival" && value !== null ? clock(value)
      : quantity(value, state.planes[key].step, unit) + hazardName(key, value);
    lines.push([heading, never ? "never" : text]);
    const below = state.below[key];
    const deep = below?.at(pixel) ?? null;
    if (deep !== null) lines.push(["… below the ground", quantity(deep, below.step, unit)]);
  }
  return lines;
}

function showReadout() {
  const cell = state.cell ?? state.pinned;
  byId("place").textContent = state.cell || !state.pinned ? "At the pointer" : "At the mark";
  const table = byId("readout");
  table.replaceChildren();
  const lines = cell ? readings(cell)
    : [["East", "–"], ["North", "–"], ["Bed", "–"], ["Depth", "–"]];
  for (const [name, value, kind] of lines) {
    const row = table.insertRow();
    row.className = kind ?? "";
    const heading = element("th", name);
    heading.scope = "row";
    row.append(heading, element("td", value));
  }
  const seen = film.times.length > 1 ? " and see its depth over time" : "";
  byId("hint").textContent = state.pinned ? "Click the map elsewhere to move the mark."
    : `Click the map to mark a place${seen}.`;
}

/** Says the value below the cross, and where it is, to those who do not see it. */
function say(cell) {
  const lines = readings(cell).map(([name, value]) => `${name} ${value}`);
  const shown = byId("heading").textContent;
  const first = lines.filter((line) => line.startsWith(shown) || line.startsWith("Depth now"));
  byId("said").textContent = [...first, ...lines.slice(0, 3)].join(", ");
}

