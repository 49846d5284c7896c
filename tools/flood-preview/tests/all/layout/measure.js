// Measures all boxes of a page; gives a sentence for each that is wrong.
(() => {
  const complaints = [];
  const box = (element) => element.getBoundingClientRect();
  const told = (element) => `${element.tagName.toLowerCase()}${element.id && `#${element.id}`}${
    element.classList.length ? `.${[...element.classList].join(".")}` : ""} “${
    element.textContent.trim().slice(0, 30)}”`;
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true })
    && box(element).width > 0 && box(element).height > 0;
  const shown = (query) => [...document.querySelectorAll(query)].filter(isShown);
  const meet = (a, b, by = 0.5) => a.left < b.right - by && b.left < a.right - by
    && a.top < b.bottom - by && b.top < a.bottom - by;
  const apart = (kind, elements) => elements.forEach((one, index) => {
    for (const other of elements.slice(index + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      if (meet(box(one), box(other))) {
        complaints.push(`${kind}: ${told(one)} lies over ${told(other)}`);
      }
    }
  });
  const clips = (element) => getComputedStyle(element).overflowX !== "visible";

  // No box leaves its parent, unless that scrolls. Names and dots on the map come below.
  for (const element of shown("body *")) {
    const parent = element.parentElement;
    if (element.closest("#marks, .unseen") || element.ownerSVGElement || clips(parent)) continue;
    const [own, around] = [box(element), box(parent)];
    if (own.left < around.left - 1.5 || own.right > around.right + 1.5
      || own.top < around.top - 2.5 || own.bottom > around.bottom + 2.5) {
      complaints.push(`${told(element)} leaves ${told(parent)}`);
    }
  }
  // What is wider than its box can be scrolled, by keyboard too; nothing else is cut off.
  for (const element of shown("body *").filter(clips)) {
    if (element.closest("#view, .unseen, svg, input")) continue;
    const isWide = element.scrollWidth > element.clientWidth + 1;
    if (isWide && element.tabIndex < 0) complaints.push(`${told(element)} is cut off`);
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) {
    complaints.push(`the page is ${scrollWidth} wide, the window ${clientWidth}`);
  }

  apart("charts", shown(".chart"));
  apart("sections", shown("main > *"));
  apart("sentences", shown(".answer > *"));
  apart("facts", shown(".facts > *"));
  apart("buttons", shown("button, input"));
  apart("pictures", shown("img, canvas"));

  // Names on the map: on the map, over no dot but their own, over no other name, under no button.
  const names = shown(".mark span");
  apart("names", names);
  const dots = shown(".mark i");
  const over = shown("#zoom, #north, #scale, #graticule text");
  apart("coordinates", shown("#zoom, #north, #scale, #graticule text"));
  const view = document.getElementById("view") && box(document.getElementById("view"));
  for (const name of names) {
    const own = box(name);
    for (const dot of dots) {
      if (meet(own, box(dot))) complaints.push(`${told(name)} covers ${told(dot)}`);
    }
    for (const other of over) {
      if (meet(own, box(other))) complaints.push(`${told(name)} lies under ${told(other)}`);
    }
    if (own.left < view.left - 1 || own.right > view.right + 1 || own.top < view.top - 1
      || own.bottom > view.bottom + 1) complaints.push(`${told(name)} leaves the map`);
  }
  return complaints;
})()
