// What is read rather than looked at: figures, ledger, settings, notes, command.

function showFacts() {
  byId("facts").append(...record.facts.map(([name, value, remark]) => {
    const fact = element("div");
    fact.append(element("span", name), element("b", value), element("span", remark));
    return fact;
  }));
  const coarse = byId("coarse");
  coarse.hidden = !record.coarse;
  coarse.textContent = record.coarse ?? "";
  const stopped = byId("stopped");
  stopped.hidden = !record.interrupted;
  stopped.textContent = `This run was stopped after ${clock(record.simulated_s)} of simulated `
    + "time: maps and figures show the flood up to then.";
}

function showLedger() {
  const { unit_m3: unit, initial, stored, into, out, balance, difference } = record.ledger;
  const table = byId("ledger");
  const line = (name, units, sign, kind) => {
    const row = table.insertRow();
    row.className = kind;
    const heading = element("th", name);
    heading.scope = "row";
    const value = BigInt(units);
    const signed = (text) => (sign ? `${sign} ${text}` : text);
    row.append(heading, element("td", signed(cubicMetres(value, unit))),
      element("td", signed(grouped(value))));
  };
  const head = table.createTHead().insertRow();
  head.append(element("th", ""), element("td", "m³"), element("td", "exact units"));
  line("Stored at the start", initial, "", "");
  for (const [name, units] of into) line(name, units, "+", "");
  for (const [name, units] of out) line(name, units, "−", "");
  line("Stored at the end", stored, "", "sum");

  byId("balance").classList.toggle("off", !balance);
  byId("balance").textContent = balance
    ? "The books balance to the unit: what was stored at the start, plus all that came in, "
      + "less all that went out, is exactly what is stored at the end."
    : `The books do not balance: ${imbalance(difference, unit)}. Please report this.`;
  byId("unit").textContent = `One unit is ${unit} m³. Volumes are counted in whole units; `
    + "the cubic metres are rounded for reading.";
  document.documentElement.dataset.balance = String(balance);
}

const moment = (seconds) => (seconds === null ? "–" : clock(seconds));

/** A number with its unit, or a dash. */
const figure = (value, digits, unit) =>
  (value === null ? "–" : `${grouped(value.toFixed(digits))} ${unit}`);

/** The largest discharge, and when. */
const peak = ({ peak_discharge_m3_s: discharge, peak_s: at }) =>
  figure(discharge, 2, "m³/s") + (discharge ? ` at ${clock(at)}` : "");

/** A table of structures: the first cell of each row is its name. */
function listStructures(id, headings, rows) {
  const table = byId(id);
  const head = table.createTHead().insertRow();
  head.append(element("th", ""), ...headings.map((name) => element("td", name)));
  const body = table.createTBody();
  for (const [name, ...cells] of rows) {
    const heading = element("th", name);
    heading.scope = "row";
    body.insertRow().append(heading, ...cells.map((text) => element("td", text)));
  }
}

/** A row for each barrier; a dash where nothing of the kind happened. */
function listBarriers() {
  listStructures("barrier-list", ["Length", "Crest", "Peak discharge", "Largest head",
    "Overtopped first", "Breach began", "To the right", "To the left"],
  record.barriers.map((barrier) => {
    const { crest_low_m: low, crest_high_m: high } = barrier;
    return [barrier.name, figure(barrier.length_m, 0, "m"),
      low < high ? `${low} to ${high} m` : `${low} m`,
      peak(barrier), figure(barrier.largest_head_m, 2, "m"),
      moment(barrier.overtopped_s), moment(barrier.breached_s),
      figure(barrier.to_right_m3, 0, "m³"), figure(barrier.to_left_m3, 0, "m³")];
  }));
}

/** The same for culverts, pumps and drains. */
function listLinks() {
  listStructures("link-list", ["Kind", "Peak discharge", "Largest head", "Began", "Full first",
    "Forwards", "Backwards"],
  record.links.map((link) => [link.name, link.kind, peak(link),
    figure(link.largest_head_m, 2, "m"), moment(link.began_s), moment(link.full_s),
    figure(link.forwards_m3, 0, "m³"), figure(link.backwards_m3, 0, "m³")]));
}

function imbalance(difference, unit) {
  if (difference === null) return "their sums are out of range";
  const units = BigInt(difference);
  const size = units < 0n ? -units : units;
  return `${grouped(size)} units (${cubicMetres(size, unit)} m³) ${
    units < 0n ? "are missing" : "too many are stored"} at the end`;
}

function showSettings() {
  for (const [name, value] of record.settings) {
    const row = byId("settings").insertRow();
    const heading = element("th", name);
    heading.scope = "row";
    row.append(heading, element("td", value));
  }
  byId("notes-block").hidden = record.notes.length === 0;
  byId("notes").append(...record.notes.map((note) => element("li", note)));
  byId("command").textContent = record.command;
  byId("made").textContent = `Made by thalweg flood-preview ${record.version}.`;
  byId("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(record.command);
      byId("copy").textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(byId("command"));
      byId("copy").textContent = "Selected";
    }
    setTimeout(() => (byId("copy").textContent = "Copy"), 1500);
  });
}

