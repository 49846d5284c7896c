// Names beside their dots on the map: none over another name or over a dot, as far as there is
// room; one without room is left out until the map is zoomed in. Its dot keeps its number.

/** Half the width of the dots. */
const DOTS = { "": 9, end: 4, peak: 8, pin: 8, line: 0, flow: 24, place: 4,
  along: 0 };

const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

/** Where a name of a size may stand about a dot: east or west of it, above, below, or in between. */
function placesAbout(half, width, height) {
  const gap = half + 3;
  const beside = [0, -0.6, 0.6, -1.15, 1.15].flatMap((up) =>
    [gap, -gap - width].map((left) => [left, (up - 0.5) * height]));
  const over = [-gap - height, gap].flatMap((top) =>
    [-width / 2, -width * 0.2, -width * 0.8].map((left) => [left, top]));
  return [...beside, ...over];
}

/** Places the names of `marks` on a map of `size`, leaving the boxes `taken` free.
 *  A mark is { element, name, kind, at }, its place in the same pixels as size and boxes. */
function placeNames(marks, size, taken) {
  const dots = marks.filter(({ kind }) => kind in DOTS).map(({ at: [x, y], kind }) => {
    const half = DOTS[kind];
    return [x - half, y - half, x + half, y + half];
  });
  const blocked = [...taken, ...dots];
  for (const mark of marks) {
    const { name, kind, at: [x, y] } = mark;
    if (!name) continue;
    mark.extent ??= [name.offsetWidth + 2, name.offsetHeight];
    const [width, height] = mark.extent;
    const boxes = placesAbout(DOTS[kind], width, height).map(([left, top]) => [left, top,
      [x + left, y + top, x + left + width, y + top + height]]);
    const found = boxes.find(([, , box]) => box[0] >= size[0] && box[1] >= size[1]
      && box[2] <= size[2] && box[3] <= size[3] && !blocked.some((other) => meet(box, other)));
    name.classList.toggle("crowded", !found);
    if (!found) continue;
    name.style.left = `${found[0]}px`;
    name.style.top = `${found[1]}px`;
    blocked.push(found[2]);
  }
}

