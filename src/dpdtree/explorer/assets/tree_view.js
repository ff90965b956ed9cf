// The tree as a drawing that mouse, keyboard and screen readers walk through.

/** @param {Box} box @param {Box} above @param {boolean} outline @param {SetName} set */
function edge(box, above, outline, set) {
  const total = counted(0, set).weight || 1;
  const share = counted(box.spot.node.state, set).weight / total;
  const [colour] = colourOf(box.spot);
  const y = box.y + box.height / 2;
  let path;
  if (outline) {
    const x = above.x + 8;
    path = `M${x},${above.y + above.height}V${y}H${box.x}`;
  } else {
    const x0 = above.x + above.width;
    const y0 = above.y + above.height / 2;
    const bend = (box.x - x0) / 2;
    path = `M${x0},${y0}C${x0 + bend},${y0} ${box.x - bend},${y} ${box.x},${y}`;
  }
  const width = outline ? 1 + 4 * share : 1 + 15 * share;
  return svg("path", { d: path, class: "edge", "stroke-width": width.toFixed(2), stroke: colour });
}

/** @param {Box} box @param {boolean} outline */
function sideLabel(box, outline) {
  const above = /** @type {Spot} */ (box.spot.parent);
  const left = box.spot.path.endsWith("L");
  const action = above.node.action;
  const missing = featureOf(at(actions.feature, action)).missing && (actions.missing_left[action] === 1) === left;
  const text = (left ? "yes" : "no") + (missing ? " ?" : "");
  const place = outline
    ? { x: box.x + box.width + 6, y: box.y + box.height / 2 + 4 }
    : { x: box.x - 5, y: box.y + box.height / 2 - 5, "text-anchor": "end" };
  const label = svg("text", { ...place, class: "side" }, text);
  if (missing) label.append(svg("title", null, "Missing values go this way, too"));
  return label;
}

/** Class shares as a bar. @param {Counted} c @param {number} x @param {number} y @param {number} width @param {number} height */
function shareBar(c, x, y, width, height) {
  const bar = svg("g", { class: "shares" });
  let from = x;
  c.classes.forEach((n, k) => {
    const part = c.weight > 0 ? (n / c.weight) * width : 0;
    if (part > 0) bar.append(svg("rect", { x: from, y, width: part, height, fill: classColour(k) }));
    from += part;
  });
  return bar;
}

/** Where the mean lies between the smallest and the largest prediction. @param {Spot} spot @param {number} x @param {number} y @param {number} width */
function meanMark(spot, x, y, width) {
  const all = shown.leaves.map((l) => at(l.values, 0));
  const low = Math.min(...all);
  const span = Math.max(...all) - low || 1;
  const place = x + (width * (at(spot.values, 0) - low)) / span;
  return svg("g", null,
    svg("rect", { x, y: y + 1.5, width, height: 1, class: "scale" }),
    svg("rect", { x: place - 1.5, y: y - 1, width: 3, height: 6, rx: 1, fill: colourOf(spot)[0] }));
}

/** @param {Box} box @param {SetName} set */
function splitBox(box, set) {
  const { spot, x, y, width, height } = box;
  const c = counted(spot.node.state, set);
  const mark = markOf(spot, box.folded);
  const lines = questionLines(spot, box.folded, width);
  const below = y + height;
  return [
    svg("rect", { x, y, width, height, rx: 7, class: "box" }),
    ...lines.map((text, i) => svg("text", { x: x + 9, y: y + 18 + BOX.second * i, class: "question" }, text)),
    mark && svg("text", { x: x + width - 8, y: y + 18, class: "mark", "text-anchor": "end" }, mark),
    nClasses ? shareBar(c, x + 9, below - 14, width - 62, 5) : meanMark(spot, x + 9, below - 14, width - 62),
    svg("text", { x: x + width - 8, y: below - 8, class: "count", "text-anchor": "end" }, count(c.n)),
    svg("title", null, question(spot.node.action, Infinity)),
  ];
}

/** @param {Box} box @param {SetName} set */
function leafBox(box, set) {
  const { spot, x, y, width, height } = box;
  const [colour, strength] = colourOf(spot);
  const c = counted(spot.node.state, set);
  const note = store.notes[noteKey(spot)] ? "✎ " : "";
  return [
    svg("rect", { x, y, width, height, rx: height / 2, class: "leaf", fill: colour, "fill-opacity": (0.08 + 0.3 * strength).toFixed(2), stroke: colour }),
    svg("circle", { cx: x + 13, cy: y + height / 2, r: 4, fill: colour, "fill-opacity": strength.toFixed(2), stroke: colour }),
    svg("text", { x: x + 23, y: y + height / 2 + 4.5, class: "said" }, leafText(spot)),
    svg("text", { x: x + width - 11, y: y + height / 2 + 4.5, class: "count", "text-anchor": "end" }, note + count(c.n)),
    svg("title", null, pretty(ruleOf(spot, 8))),
  ];
}

/** @param {Shown} tree @param {Set<string>} folded @param {boolean} outline @param {SetName} set */
function drawing(tree, folded, outline, set) {
  const { boxes, width, height } = arranged(tree, folded, outline);
  const byPath = new Map(boxes.map((b) => [b.spot.path, b]));
  const edges = svg("g", { "aria-hidden": "true" });
  for (const box of boxes) {
    const above = box.spot.parent && byPath.get(box.spot.parent.path);
    if (above) edges.append(edge(box, above, outline, set), sideLabel(box, outline));
  }
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
  picture.append(edges);
  return { picture, boxes, width, height };
}

/** @param {Spot} spot whether it gets through the filter */
function passes(spot) {
  const f = store.filter;
  const c = counted(spot.node.state, store.set);
  if (c.weight / (counted(0, store.set).weight || 1) < f.support) return false;
  if (nClasses) return certainty(spot) >= f.certainty && (!f.prediction || saidOf(spot) === f.prediction);
  const value = at(spot.values, 0);
  return (f.least === null || value >= f.least) && (f.most === null || value <= f.most);
}

/** @param {Spot} spot a split passes if a leaf below does @returns {boolean} */
function passesBelow(spot) {
  return spot.left && spot.right ? passesBelow(spot.left) || passesBelow(spot.right) : passes(spot);
}

function drawTree() {
  const canvas = byId("tree");
  const focused = canvas.contains(document.activeElement);
  const { picture, boxes, width, height } = drawing(shown, store.folded, store.outline, store.set);
  const way = store.row ? new Set(wayOf(shown, store.row).map((s) => s.path)) : null;
  const items = svg("g", { role: "tree", "aria-label": "Decision tree" });
  for (const box of boxes) items.append(treeItem(box, way));
  picture.append(items);
  if (!store.zoom) store.zoom = fitting(width);
  picture.setAttribute("width", String(width * store.zoom));
  picture.setAttribute("height", String(height * store.zoom));
  show(canvas, picture);
  const current = canvas.querySelector('[tabindex="0"]');
  if (focused && current instanceof SVGElement) current.focus();
}

/** @param {Box} box @param {Set<string> | null} way */
function treeItem(box, way) {
  const { spot } = box;
  const chosen = spot.path === store.selected;
  const classes = ["item", chosen && "selected", way && (way.has(spot.path) ? "on-way" : "off-way"), !passesBelow(spot) && "faint"];
  const item = svg("g", {
    role: "treeitem",
    "data-path": spot.path || "root",
    class: classes.filter((c) => c).join(" "),
    tabindex: chosen ? 0 : -1,
    "aria-level": spot.depth + 1,
    "aria-setsize": spot.parent ? 2 : 1,
    "aria-posinset": spot.path.endsWith("R") ? 2 : 1,
    "aria-selected": chosen ? "true" : "false",
    "aria-expanded": spot.left ? (box.folded ? "false" : "true") : null,
    "aria-label": spoken(spot),
    click: () => select(spot.path),
    dblclick: () => fold(spot),
  });
  const parts = spot.left ? splitBox(box, store.set) : leafBox(box, store.set);
  for (const part of parts) if (part) item.append(part);
  return item;
}

/** @param {Spot} spot */
function fold(spot) {
  if (!spot.left) return;
  if (!store.folded.delete(spot.path)) store.folded.add(spot.path);
  changed("fold");
}

/** @param {number} width as large as fits, within what can be read */
function fitting(width) {
  const room = byId("tree").clientWidth - 4;
  return room > 0 ? Math.max(0.62, Math.min(1.15, room / width)) : 1;
}

/** @param {number} factor */
function zoomBy(factor) {
  store.zoom = Math.max(0.25, Math.min(3, store.zoom * factor));
  changed("view");
}

/** @param {KeyboardEvent} event */
function walkTree(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const spot = selectedSpot();
  const visible = arranged(shown, store.folded, true).boxes.map((b) => b.spot);
  const place = visible.findIndex((s) => s.path === spot.path);
  const open = spot.left && !store.folded.has(spot.path);
  /** @type {Spot | null | undefined} */
  let next = null;
  if (event.key === "ArrowDown") next = visible[place + 1];
  else if (event.key === "ArrowUp") next = visible[place - 1];
  else if (event.key === "Home") next = visible[0];
  else if (event.key === "End") next = visible[visible.length - 1];
  else if (event.key === "ArrowRight") open ? (next = spot.left) : fold(spot);
  else if (event.key === "ArrowLeft") open ? fold(spot) : (next = spot.parent);
  else if (event.key === "Enter" || event.key === " ") fold(spot);
  else if (event.key === "*") {
    store.folded.clear();
    changed("fold");
  } else return;
  event.preventDefault();
  if (next) select(next.path);
  byId("tree").querySelector(".selected")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Drag the drawing. @param {HTMLElement} canvas */
function draggable(canvas) {
  /** @type {{x: number, y: number, left: number, top: number} | null} */
  let start = null;
  canvas.addEventListener("pointerdown", (e) => {
    if (e.pointerType === "mouse" && e.button === 0) {
      start = { x: e.clientX, y: e.clientY, left: canvas.scrollLeft, top: canvas.scrollTop };
    }
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!start) return;
    canvas.scrollLeft = start.left - (e.clientX - start.x);
    canvas.scrollTop = start.top - (e.clientY - start.y);
  });
  for (const name of ["pointerup", "pointerleave"]) canvas.addEventListener(name, () => (start = null));
  canvas.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoomBy(e.deltaY < 0 ? 1.1 : 1 / 1.1);
  }, { passive: false });
}

/** @param {number} depth fold what lies deeper */
function foldBelow(depth) {
  store.folded = new Set(shown.spots.filter((s) => s.left && s.depth >= depth).map((s) => s.path));
  changed("fold");
}

function treeTools() {
  const most = depthOf(steps.tree);
  const levels = h("select", {
    "aria-label": "Levels that are shown",
    change: (e) => foldBelow(Number(e.target.value)),
  });
  for (let d = 1; d <= most; d++) {
    levels.append(h("option", { value: d, selected: d === most }, d === most ? "all levels" : plural(d, "level")));
  }
  show(byId("tree-tools"),
    most > 1 && levels,
    button("−", () => zoomBy(1 / 1.2), { "aria-label": "Smaller" }),
    button("+", () => zoomBy(1.2), { "aria-label": "Larger" }),
    button("Fit", () => {
      store.zoom = 0;
      changed("view");
    }),
    button(store.outline ? "Diagram" : "Outline", () => {
      store.outline = !store.outline;
      store.zoom = 0;
      changed("view");
    }));
}

function drawLegend() {
  const total = counted(0, store.set).n;
  const rows = store.set === "test" ? plural(total, "test row") : plural(total, "training row");
  const parts = [h("span", null, `${rows}. Lines are as wide as their share of the rows; “yes” ${store.outline ? "comes first" : "goes up"}.`)];
  if (features.some((f) => f.missing)) parts.push(h("span", null, "“?” marks the way of missing values."));
  (about.classes || []).slice(0, 20).forEach((name, k) => {
    const dot = svg("svg", { width: 10, height: 10, "aria-hidden": "true" }, svg("circle", { cx: 5, cy: 5, r: 4.5, fill: classColour(k) }));
    parts.push(h("span", { class: "key" }, dot, name));
  });
  show(byId("legend"), ...parts);
}

function setUpTree() {
  const canvas = byId("tree");
  canvas.addEventListener("keydown", walkTree);
  draggable(canvas);
  when(["tree", "select", "set", "fold", "filter", "trace", "view", "note"], drawTree);
  when(["tree", "view"], treeTools);
  when(["set", "view", "tree"], drawLegend);
}
