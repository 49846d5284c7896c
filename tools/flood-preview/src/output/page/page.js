// The page: which layer, which moment, which cell, and what each part shows of them.

const root = document.documentElement;
const film = new Film(record.frames);
const OVER_TIME = "depth";
/** Water before the event has its colour at each moment too. */
film.before = record.layers[0].before;
const state = { layer: record.layers[0].key, moment: 0, cell: null, pinned: null, planes: {},
  below: {},
  charts: [] };

/** The pixel of the page's maps that shows a cell of the simulation. */
function pixelOf([column, row]) {
  const { factor, columns } = record.grid;
  return Math.floor(row / factor) * columns + Math.floor(column / factor);
}

async function draw() {
  const { layer, moment } = state;
  if (layer !== OVER_TIME) {
    const source = record.layers.find(({ key }) => key === layer);
    state.map.draw(state.planes[layer], source.classes, state.below[layer], source.before);
  } else {
    const plane = await film.frame(moment);
    if (state.layer !== layer || state.moment !== moment) return;
    const ofRun = film.before && state.planes[record.layers[0].key].paint;
    const paint = ofRun ? paintedBefore(plane, film.classes, ofRun) : plane.paint;
    state.map.draw({ ...plane, paint }, film.classes, null, film.before);
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
  // Maps of the whole run go up to its end.
  byId("moment").value = live ? state.moment : Math.max(film.length - 1, 0);
  byId("clock").textContent = live ? clock(film.times[state.moment]) : "whole run";
  byId("moment").setAttribute("aria-valuetext", byId("clock").textContent);
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

/** Depth over the stored frames at the marked place. */
function showHistory() {
  const holder = byId("history");
  state.charts = state.charts.filter((chart) => chart.container !== holder);
  holder.replaceChildren();
  if (!state.pinned || film.length < 2) return;
  const values = film.history(pixelOf(state.pinned));
  state.charts.push(new Chart(holder, { name: "At the mark", time: film.times, values, unit: "m",
    height: 150, title: "Depth at the mark", digits: decimals(film.step), floor: 0,
    least: 10 * film.step }));
  showMoment();
}

function pin(cell) {
  state.pinned = cell;
  state.map.pin(cell);
  showReadout();
  showHistory();
}

const QUANTITIES = {
  depth_m: { title: "Depth", unit: "m", digits: 2, least: 0.02, floor: 0 },
  stage_m: { title: "Water surface", unit: "m", digits: 2, least: 0.1 },
  speed_m_s: { title: "Speed", unit: "m/s", digits: 2, least: 0.02, floor: 0 },
};

/** A card with a heading for each series; its chart is drawn when all cards have their places. */
function showCharts(holder, series) {
  state.charts = state.charts.filter((chart) => !holder.contains(chart.container));
  const places = series.map(() => element("div"));
  holder.replaceChildren(...series.map(({ heading }, index) => {
    const card = element("div");
    card.append(element("h3", heading), places[index]);
    return card;
  }));
  series.forEach((spec, index) => state.charts.push(new Chart(places[index], spec)));
  root.dataset[holder.id] = String(holder.querySelectorAll(".chart .line").length);
}

function showGauges(key) {
  press(byId("quantities"), key);
  showCharts(byId("gauges"), record.gauges.map((gauge, index) => ({ ...QUANTITIES[key],
    name: gauge.name, heading: `${index + 1}. ${gauge.name}`, time: gauge.time_s,
    values: gauge[key], bed: key === "stage_m" ? gauge.bed_m ?? undefined : undefined,
    observed: gauge.observed?.key === key ? gauge.observed : undefined,
    elsewhere: gauge.observed && gauge.observed.key !== key
      ? QUANTITIES[gauge.observed.key].title.toLowerCase() : undefined })));
  showMoment();
}

/** The quantity of which most gauges have an observed series; without any the depth. */
function firstQuantity() {
  const count = (key) => record.gauges.filter(({ observed }) => observed?.key === key).length;
  return count("stage_m") > count("depth_m") ? "stage_m" : "depth_m";
}

/** The discharge of each structure of a kind over time. */
function showPassed(kind, structures) {
  showCharts(byId(kind), structures.map((structure) => {
    const { name, time_s: time, discharge_m3_s: values } = structure;
    const most = Math.max(...values.map(Math.abs), 0.1);
    const digits = most < 10 ? 3 : most < 1000 ? 1 : 0;
    return { name, heading: name, title: "Discharge", unit: "m³/s", digits, floor: 0,
      least: 0.02 * most, signed: true, time, values, observed: structure.observed ?? undefined };
  }));
}

/** Figures of the summary lead to their places on the map. */
function listenToFacts() {
  for (const button of document.querySelectorAll("button[data-cell]")) {
    button.addEventListener("click", async () => {
      const cell = button.dataset.cell.split(",").map(Number);
      await choose(button.dataset.layer);
      pin(cell);
      state.map.lookAt(cell);
      byId("view").scrollIntoView({ block: "center" });
      byId("view").focus({ preventScroll: true });
    });
  }
}

function listenToBackdrop() {
  if (!record.backdrop) return;
  const choice = byId("backdrop-choice");
  choice.hidden = false;
  choice.title = record.backdrop.name;
  byId("backdrop").addEventListener("change", (event) => {
    state.map.showBackdrop(event.target.checked);
    draw();
  });
}

function listenToCopy() {
  const button = byId("copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(byId("command").textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(byId("command"));
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
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
    if (state.layer !== OVER_TIME || state.moment >= film.length - 1) goTo(0);
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
  for (const plane of Object.values(state.below)) put("probeBelow", plane.at(pixel));
  put("probeText", byId("readout").innerText.replace(/\s+/g, " "));
}

/** Loads the page of a run that goes on anew, until the reader keeps this one. */
function renew() {
  const level = document.querySelector("[data-renewal]");
  if (!level) return;
  const timer = setTimeout(() => location.reload(), 1000 * Number(level.dataset.renewal));
  byId("stay").addEventListener("click", () => {
    clearTimeout(timer);
    const status = level.firstElementChild;
    status.textContent = status.textContent.replace(/:.*$/, ". Load the page anew for finer ones.");
    byId("stay").hidden = true;
    root.dataset.renewal = "ended";
  });
}

async function start() {
  listenToCopy();
  renew();
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old to unpack them (Chrome 80, Firefox 113 or Safari 16.4 "
      + "can)");
  }
  const relief = await open(record.relief);
  state.planes.bed = await open(record.bed);
  for (const layer of record.layers) {
    state.planes[layer.key] = await open(layer);
    if (layer.below) state.below[layer.key] = await open(layer.below);
  }
  state.map = new FloodMap(relief, (cell, isSaid = false) => {
    state.cell = cell;
    showReadout();
    if (cell && isSaid) say(cell);
  }, pin);
  await state.map.loadPaper();
  listenToBackdrop();
  const options = record.layers.map(({ key, heading }) => [key, heading]);
  if (film.length) options.push([OVER_TIME, "Depth over time"]);
  choices(byId("layers"), options, state.layer, choose);
  byId("player").hidden = film.length < 2;
  choices(byId("quantities"), Object.entries(QUANTITIES).map(([key, { title }]) => [key, title]),
    firstQuantity(), showGauges);
  showGauges(firstQuantity());
  showPassed("sections", record.sections);
  showPassed("edges", record.edges);
  showPassed("barriers", record.barriers);
  showPassed("links", record.links);
  listenToPlayer();
  listenToFacts();
  state.moment = Math.min(film.peak, Math.max(film.length - 1, 0));
  state.map.fit();
  await choose(state.layer);
  for (let index = 0; index < film.length; index += 1) await film.frame(index);
  root.dataset.frames = String(film.planes.filter(Boolean).length);
  await followAddress();
  window.addEventListener("hashchange", followAddress);
  root.dataset.state = "ready";
}

start().catch((error) => {
  root.dataset.state = "failed";
  const trouble = byId("trouble");
  trouble.hidden = false;
  trouble.textContent = `The moving maps cannot be shown: ${error.message}. The pictures below `
    + "show the same.";
});
