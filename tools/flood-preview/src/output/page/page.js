// The page: which layer, which moment, which cell, and what each part shows of them.

const root = document.documentElement;
const film = new Film(record.frames);
const OVER_TIME = "depth";
const state = { layer: OVER_TIME, moment: 0, cell: null, pinned: null, planes: {}, charts: [] };

/** The pixel of the page's maps that shows a cell of the simulation. */
function pixelOf([column, row]) {
  const { factor, columns } = record.grid;
  return Math.floor(row / factor) * columns + Math.floor(column / factor);
}

function showLegend() {
  const layer = record.layers.find(({ key }) => key === state.layer);
  const { classes } = layer ?? record.frames;
  const { factor } = record.grid;
  byId("heading").textContent = layer ? layer.heading : "Depth over time";
  byId("legend").replaceChildren(...classes.map(({ colour, label }) => {
    const item = element("li");
    const swatch = element("i");
    swatch.style.background = `rgb(${colour.join(",")})`;
    item.append(swatch, element("span", label));
    return item;
  }));
  byId("remark").textContent = (layer ? layer.remark : "Depth of the water at each moment.")
    + (factor > 1 ? ` A pixel is ${factor} × ${factor} cells: its colour is that of the mean of those `
      + `in a class, and the paler, the fewer they are; below stands the highest (of times the `
      + `earliest).` : "");
  press(byId("layers"), state.layer);
}

async function draw() {
  const { layer, moment } = state;
  if (layer !== OVER_TIME) {
    const source = record.layers.find(({ key }) => key === layer);
    state.map.draw(state.planes[layer], source.classes);
  } else {
    const plane = await film.frame(moment);
    if (state.layer !== layer || state.moment !== moment) return;
    state.map.draw(plane, film.classes);
  }
  root.dataset.layer = layer;
}

async function choose(layer) {
  state.layer = layer;
  showLegend();
  showMoment();
  await draw();
}

function showMoment() {
  const live = state.layer === OVER_TIME && film.length > 0;
  byId("moment").value = state.moment;
  byId("clock").textContent = live ? clock(film.times[state.moment]) : "whole run";
  for (const chart of state.charts) chart.show(live ? film.times[state.moment] : null);
  showReadout();
}

/** Shows a moment, and for that the depth over time. */
async function goTo(moment) {
  if (state.layer !== OVER_TIME) {
    state.layer = OVER_TIME;
    showLegend();
  }
  state.moment = Math.min(Math.max(moment, 0), Math.max(film.length - 1, 0));
  await film.frame(state.moment);
  showMoment();
  await draw();
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

/** Everything known about a cell at the present moment: name, value, and whether it moves. */
function readings(cell) {
  const pixel = pixelOf(cell);
  const { bed } = state.planes;
  const ground = bed.at(pixel);
  const [x, y] = position(cell);
  const lines = [["East", x], ["North", y]];
  if (ground === null) return [...lines, ["", "outside the map"]];
  lines.push(["Bed", quantity(ground, bed.step, "m")]);
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
    const text = key === "arrival" && value !== null ? clock(value)
      : quantity(value, state.planes[key].step, unit) + hazardName(key, value);
    lines.push([heading, never ? "never" : text]);
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
    row.append(element("th", name), element("td", value));
  }
  byId("hint").textContent = state.pinned ? "Click the map elsewhere to move the mark."
    : "Click the map to mark a place and see its depth over time.";
}

/** Depth over the stored frames at the marked place. */
function showHistory() {
  const holder = byId("history");
  state.charts = state.charts.filter((chart) => chart.container !== holder);
  holder.replaceChildren();
  if (!state.pinned || film.length < 2) return;
  const values = film.history(pixelOf(state.pinned));
  state.charts.push(new Chart(holder, { time: film.times, values, unit: "m", height: 170,
    title: "Depth at the mark", digits: decimals(film.step), floor: 0, least: 10 * film.step }));
  showMoment();
}

function pin(cell) {
  state.pinned = cell;
  state.map.pin(cell);
  showReadout();
  showHistory();
}

const QUANTITIES = {
  stage_m: { label: "Water surface", unit: "m", digits: 2, least: 0.1 },
  depth_m: { label: "Depth", unit: "m", digits: 2, least: 0.02, floor: 0 },
  speed_m_s: { label: "Speed", unit: "m/s", digits: 2, least: 0.02, floor: 0 },
};

function showGauges(key) {
  press(byId("quantities"), key);
  const holder = byId("gauges");
  state.charts = state.charts.filter((chart) => !holder.contains(chart.container));
  holder.replaceChildren();
  for (const gauge of record.gauges) {
    const card = element("div");
    const place = element("div");
    const { unit } = record.grid;
    const at = gauge.cell ? position(gauge.cell).join(", ")
      : `${gauge.x} ${unit}, ${gauge.y} ${unit}`;
    card.append(element("h3", gauge.name), element("p", `${at}, bed ${
      quantity(gauge.bed_m, 0.01, "m")}`, "faint"), place);
    holder.append(card);
    const bed = key === "stage_m" && gauge.bed_m !== null ? gauge.bed_m : undefined;
    state.charts.push(new Chart(place, { ...QUANTITIES[key], bed, time: gauge.time_s,
      values: gauge[key] }));
  }
  root.dataset.gauges = String(holder.querySelectorAll(".chart .line").length);
  showMoment();
}

/** What passed structures of a kind: a table, and the discharge of each over time. */
function showPassed(kind, structures, list) {
  byId(`${kind}-card`).hidden = structures.length === 0;
  list();
  const holder = byId(kind);
  for (const { name, time_s: time, discharge_m3_s: values } of structures) {
    const place = element("div");
    const card = element("div");
    card.append(element("h3", name), place);
    holder.append(card);
    const most = Math.max(...values.map(Math.abs), 0.1);
    const digits = most < 10 ? 3 : most < 1000 ? 1 : 0;
    state.charts.push(new Chart(place, { title: "Discharge", unit: "m³/s", digits, floor: 0,
      least: 0.02 * most, time, values }));
  }
  root.dataset[kind] = String(holder.querySelectorAll(".chart .line").length);
}

function listenToPlayer() {
  const slider = byId("moment");
  const button = byId("play");
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    button.textContent = "▶";
    button.setAttribute("aria-label", "Play");
  };
  slider.max = Math.max(film.length - 1, 0);
  slider.addEventListener("input", () => goTo(Number(slider.value)));
  button.addEventListener("click", () => {
    if (timer !== null) return stop();
    if (state.moment >= film.length - 1) goTo(0);
    button.textContent = "❚❚";
    button.setAttribute("aria-label", "Pause");
    timer = setInterval(() => {
      if (state.moment >= film.length - 1) return stop();
      goTo(state.moment + 1);
    }, 160);
  });
}

/** `#layer=hazard&probe=COLUMN,ROW@FRAME` shows a layer, a moment and a cell; the cell's values
 *  also go to data attributes of the page, for those who read it by program. */
async function followAddress() {
  const wishes = new URLSearchParams(location.hash.slice(1));
  const layer = wishes.get("layer");
  const probe = /^(\d+),(\d+)(?:@(\d+))?$/.exec(wishes.get("probe") ?? "");
  if (probe?.[3] !== undefined && film.length) await goTo(Number(probe[3]));
  if (layer === OVER_TIME ? film.length : record.layers.some(({ key }) => key === layer)) {
    await choose(layer);
  }
  if (!probe) return;
  const cell = [Number(probe[1]), Number(probe[2])];
  if (cell[0] >= record.grid.width || cell[1] >= record.grid.height) return;
  pin(cell);
  publish(cell);
}

function publish(cell) {
  const pixel = pixelOf(cell);
  const put = (name, value) => (root.dataset[name] = value === null ? "none" : String(value));
  const { columns, enlarge } = record.grid;
  const at = [pixel % columns, Math.floor(pixel / columns)]
    .map((place) => Math.floor((place + 0.5) * enlarge));
  const colour = byId("map").getContext("2d").getImageData(at[0], at[1], 1, 1).data;
  put("probeColour", colour.slice(0, 3).join(","));
  put("probeBed", state.planes.bed.at(pixel));
  put("probeDepth", film.planes[state.moment]?.at(pixel) ?? null);
  put("probeTime", film.times[state.moment] ?? null);
  for (const { key } of record.layers) put(`probe-${key}`.replace(/[-_](\w)/g,
    (_, letter) => letter.toUpperCase()), state.planes[key].at(pixel));
  put("probeText", byId("readout").innerText.replace(/\s+/g, " "));
}

async function start() {
  showFacts();
  showLedger();
  showSettings();
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old to unpack the maps (Chrome 80, Firefox 113 or "
      + "Safari 16.4 can); the PNG maps beside this page show the same");
  }
  const relief = await open(record.relief);
  state.planes.bed = await open(record.bed);
  for (const layer of record.layers) state.planes[layer.key] = await open(layer);
  state.map = new FloodMap(relief, (cell) => {
    state.cell = cell;
    showReadout();
  }, pin);
  const options = record.layers.map(({ key, heading }) => [key, heading]);
  if (film.length) options.unshift([OVER_TIME, "Depth over time"]);
  else state.layer = options[0][0];
  choices(byId("layers"), options, state.layer, choose);
  byId("player").hidden = film.length < 2;
  byId("gauges-card").hidden = record.gauges.length === 0;
  choices(byId("quantities"), Object.entries(QUANTITIES).map(([key, { label }]) => [key, label]),
    "stage_m", showGauges);
  showGauges("stage_m");
  showPassed("barriers", record.barriers, listBarriers);
  showPassed("links", record.links, listLinks);
  listenToPlayer();
  await choose(state.layer);
  if (film.length) await goTo(film.peak);
  for (let index = 0; index < film.length; index += 1) await film.frame(index);
  root.dataset.frames = String(film.planes.filter(Boolean).length);
  await followAddress();
  window.addEventListener("hashchange", followAddress);
  window.addEventListener("resize", () => state.charts.forEach((chart) => chart.draw()));
  root.dataset.state = "ready";
}

start().catch((error) => {
  root.dataset.state = "failed";
  const trouble = byId("trouble");
  trouble.hidden = false;
  trouble.textContent = `The maps cannot be shown: ${error.message}.`;
});
