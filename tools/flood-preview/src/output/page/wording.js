// Elements and numbers as people read them.

const byId = (id) => document.getElementById(id);

/** An element with a class and text; text is never markup. */
function element(name, text = "", className = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

function svg(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

/** One button of a group for each choice; exactly one is pressed. */
function choices(group, options, chosen, choose) {
  group.replaceChildren(...options.map(([key, label]) => {
    const button = element("button", label);
    button.type = "button";
    button.dataset.key = key;
    button.addEventListener("click", () => choose(key));
    return button;
  }));
  press(group, chosen);
}

function press(group, chosen) {
  for (const button of group.children) {
    button.setAttribute("aria-pressed", String(button.dataset.key === chosen));
  }
}

/** A length of time: 45 s, 12 min, 1 h 30 min, 3 d 4 h. */
function clock(seconds) {
  if (seconds < 10 && seconds % 1 !== 0) return `${seconds.toFixed(1)} s`;
  const total = Math.round(seconds);
  const [unit, name, part, partName] =
    total < 60 ? [1, "s", 1, "s"]
    : total < 3600 ? [60, "min", 1, "s"]
    : total < 172800 ? [3600, "h", 60, "min"]
    : [86400, "d", 3600, "h"];
  const whole = Math.floor(total / unit);
  const rest = Math.floor((total % unit) / part);
  return rest ? `${whole} ${name} ${rest} ${partName}` : `${whole} ${name}`;
}

/** Decimals that show a step of 1, 0.1, 0.01… */
const decimals = (step) => Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));

/** The largest of 1, 2, 5 · 10ⁿ that is at most limit. */
function roundBelow(limit) {
  const power = 10 ** Math.floor(Math.log10(limit));
  return [5, 2, 1].find((step) => step * power <= limit) * power || power;
}

function metres(length) {
  if (length < 1) return `${+(length * 100).toPrecision(3)} cm`;
  return length < 1000 ? `${+length.toPrecision(6)} m` : `${+(length / 1000).toPrecision(6)} km`;
}

