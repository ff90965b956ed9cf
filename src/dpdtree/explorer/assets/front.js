// Charts, and the front: loss against leaves.

/**
 * @typedef {{x: (v: number) => number, y: (v: number) => number, axes: SVGElement, width: number, height: number}} Frame
 */

/** Round ticks. @param {number} low @param {number} high @param {number} [wanted] */
function ticks(low, high, wanted = 5) {
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  const step = power * (/** @type {number} */ ([1, 2, 5, 10].find((m) => span / (m * power) <= wanted)) || 10);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

/** @param {number} v */
function tickText(v) {
  const size = Math.abs(v);
  return v && (size >= 1e6 || size < 1e-4) ? v.toExponential(1) : String(v);
}

/**
 * Axes of a chart. @param {[number, number]} xs @param {[number, number]} ys @param {string} xName @param {string} yName
 * @param {{width?: number, height?: number, whole?: boolean}} [size] @returns {Frame}
 */
function frame(xs, ys, xName, yName, size = {}) {
  const { width = 420, height = 240, whole = false } = size;
  const left = 52, right = width - 12, top = 22, bottom = height - 34;
  const x = (/** @type {number} */ v) => left + ((v - xs[0]) / (xs[1] - xs[0] || 1)) * (right - left);
  const y = (/** @type {number} */ v) => bottom - ((v - ys[0]) / (ys[1] - ys[0] || 1)) * (bottom - top);
  const axes = svg("g", { class: "axes", "aria-hidden": "true" });
  for (const v of ticks(ys[0], ys[1], 4)) {
    axes.append(svg("line", { x1: left, x2: right, y1: y(v), y2: y(v) }),
      svg("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, tickText(v)));
  }
  for (const v of ticks(xs[0], xs[1], 6)) {
    if (whole && !Number.isInteger(v)) continue;
    axes.append(svg("text", { x: x(v), y: bottom + 15, "text-anchor": "middle" }, tickText(v)));
  }
  axes.append(svg("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "base" }),
    svg("text", { x: right, y: height - 4, "text-anchor": "end" }, xName),
    svg("text", { x: 2, y: 11 }, yName));
  return { x, y, axes, width, height };
}

/** @param {[number, number][]} points @param {Frame} f */
function line(points, f) {
  return points.map(([a, b], i) => `${i ? "L" : "M"}${f.x(a).toFixed(1)},${f.y(b).toFixed(1)}`).join("");
}

/** @param {number[]} list @returns {[number, number]} with some room around it */
function around(list, share = 0.06) {
  const some = list.filter((v) => Number.isFinite(v));
  const low = Math.min(...some), high = Math.max(...some);
  const room = (high - low) * share || Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

/** @param {Point} p @param {string} name */
function pointText(p, name) {
  const test = p.test === null ? "" : `, test ${shownLoss(p.test)}`;
  return `${name}${plural(p.leaves, "leaf", "leaves")}: ${about.loss_label} ${shownLoss(p.loss)}${test}`;
}

/** @param {number} x */
function finiteOrNull(x) {
  return Number.isFinite(x) ? x : null;
}

function drawFront() {
  const points = data.front;
  const band = data.band;
  const cart = data.cart;
  const now = { leaves: nLeaves(steps.tree), loss: lossOf(steps.tree), test: testLoss(shown) };
  const most = Math.max(...points.map((p) => p.leaves), cart ? cart.leaves : 1, now.leaves);
  const all = [...points, ...(cart ? [cart] : [])].flatMap((p) => [p.loss, p.test ?? NaN]);
  if (band) band.loss.forEach((v, i) => all.push(v - at(band.error, i), v + at(band.error, i)));
  all.push(now.loss, now.test);
  const f = frame([0, most + 1], around(all), "leaves", about.loss_label, { whole: true });
  const picture = svg("svg", { viewBox: `0 0 ${f.width} ${f.height}`, class: "chart", role: "group", "aria-label": "Loss against the number of leaves; choose a tree" }, f.axes);
  if (band) picture.append(bandOf(band, f));
  const test = points.filter((p) => p.test !== null).map((p) => /** @type {[number, number]} */ ([p.leaves, p.test]));
  if (test.length) picture.append(svg("path", { d: line(test, f), class: "line test" }));
  picture.append(svg("path", { d: line(points.map((p) => [p.leaves, p.loss]), f), class: "line train" }));
  const current = choicesOf(steps.tree).join();
  const chosen = grow(data.chosen);
  /** @type {Point} */
  const chosenPoint = { leaves: nLeaves(chosen), loss: lossOf(chosen), test: finiteOrNull(testLoss(spread(chosen))), tree: data.chosen };
  const listed = points.some((p) => p.tree.join() === data.chosen.join()) ? points : [...points, chosenPoint];
  for (const p of listed) picture.append(frontPoint(p, f, "", current));
  if (cart) picture.append(frontPoint(cart, f, "CART: ", current));
  if (![...listed, cart].some((p) => p && p.tree.join() === current)) {
    picture.append(svg("circle", { cx: f.x(now.leaves), cy: f.y(now.loss), r: 6, class: "own" }, svg("title", null, "The tree that is shown")));
  }
  show(byId("front"), picture, frontLegend(now));
}

/** @param {Band} band @param {Frame} f */
function bandOf(band, f) {
  const up = band.leaves.map((n, i) => /** @type {[number, number]} */ ([n, at(band.loss, i) + at(band.error, i)]));
  const down = band.leaves.map((n, i) => /** @type {[number, number]} */ ([n, at(band.loss, i) - at(band.error, i)]));
  const middle = band.leaves.map((n, i) => /** @type {[number, number]} */ ([n, at(band.loss, i)]));
  const area = line(up, f) + line(down.reverse(), f).replace("M", "L") + "Z";
  const best = band.loss.indexOf(Math.min(...band.loss));
  const limit = at(band.loss, best) + at(band.error, best);
  const smallest = band.loss.findIndex((v) => v <= limit);
  const group = svg("g", null, svg("path", { d: area, class: "band" }), svg("path", { d: line(middle, f), class: "line cv" }));
  const x = f.x(at(band.leaves, smallest));
  group.append(svg("path", { d: `M${x},${f.y(limit) - 5}v10`, class: "one-se" }, svg("title", null, "The smallest size within one standard error of the best")));
  return group;
}

/** Smaller where there are many. */
function pointSize() {
  return data.front.length > 40 ? 2.5 : data.front.length > 20 ? 3.5 : 4.5;
}

/** @param {Point} p @param {Frame} f @param {string} name @param {string} current */
function frontPoint(p, f, name, current) {
  const is = p.tree.join() === current;
  const chosen = p.tree.join() === data.chosen.join();
  const x = f.x(p.leaves), y = f.y(p.loss);
  const act = () => turnTo(grow(p.tree), name ? "CART's tree" : `The tree with ${plural(p.leaves, "leaf", "leaves")}`);
  const mark = name
    ? svg("path", { d: `M${x},${y - 6}l6,6l-6,6l-6,-6z`, class: "cart" })
    : svg("circle", { cx: x, cy: y, r: is ? 6 : pointSize(), class: is ? "point now" : "point" });
  return svg("g", {
    role: "button", tabindex: 0, class: "pick", "aria-label": pointText(p, name) + (chosen ? " (the chosen tree)" : ""),
    "aria-pressed": is ? "true" : "false", click: act,
    keydown: (e) => {
      if (e.key !== "Enter" && e.key !== " ") return;
      e.preventDefault();
      act();
      const again = [...byId("front").querySelectorAll(".pick")].find((g) => g.getAttribute("aria-pressed") === "true");
      if (again instanceof SVGElement) again.focus();
    },
  }, svg("circle", { cx: x, cy: y, r: 11, fill: "transparent" }), chosen && svg("circle", { cx: x, cy: y, r: 9, class: "ring" }), mark, svg("title", null, pointText(p, name)));
}

/** @param {{leaves: number, loss: number, test: number}} now */
function frontLegend(now) {
  const keys = [["train", "training rows"]];
  if (testedStates) keys.push(["test", "test rows"]);
  if (data.band) keys.push(["cv", `${data.band.folds} folds ± 1 SE`]);
  if (data.cart) keys.push(["cart", "CART"]);
  keys.push(["ring", "the chosen tree"]);
  const list = h("p", { class: "legend" });
  for (const [kind, text] of keys) list.append(h("span", { class: "key" }, h("i", { class: `swatch ${kind}` }), text || ""));
  const test = Number.isFinite(now.test) ? `, test ${shownLoss(now.test)}` : "";
  return h("div", null, list, h("p", { class: "small" }, `Shown: ${plural(now.leaves, "leaf", "leaves")}, ${about.loss_label} ${shownLoss(now.loss)}${test}. A click shows another tree.`));
}

function setUpFront() {
  when(["tree"], drawFront);
}
