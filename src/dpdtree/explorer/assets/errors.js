// How wrong the tree is: confusion, reliability, residuals.

/** @param {SetName} set @returns {number[][]} rows are true classes, columns predicted ones */
function confusion(set) {
  const table = Array.from({ length: nClasses }, () => new Array(nClasses).fill(0));
  for (const leaf of shown.leaves) {
    counted(leaf.node.state, set).classes.forEach((n, k) => {
      const line = at(table, k);
      line[leaf.decision] += n;
    });
  }
  return table;
}

/** @param {SetName} set */
function accuracy(set) {
  const table = confusion(set);
  let right = 0, all = 0;
  table.forEach((line, k) => line.forEach((n, j) => {
    all += n;
    if (j === k) right += n;
  }));
  return right / all;
}

function confusionTable() {
  const table = confusion(store.set);
  const names = about.classes || [];
  const most = Math.max(...table.flat(), 1);
  const body = h("tbody");
  table.forEach((cells, k) => {
    const all = cells.reduce((a, b) => a + b, 0);
    const row = h("tr", null, h("th", { scope: "row" }, at(names, k)));
    cells.forEach((n, j) => {
      const cell = h("td", { class: j === k ? "hit" : "miss" }, count(n));
      cell.style.setProperty("--share", (n / most).toFixed(3));
      row.append(cell);
    });
    row.append(h("td", { class: "sum" }, all ? percent(at(cells, k) / all) : "–"));
    body.append(row);
  });
  const precision = h("tr", null, h("th", { scope: "row" }, "precision"));
  names.forEach((_, j) => {
    const said = table.reduce((sum, line) => sum + at(line, j), 0);
    precision.append(h("td", { class: "sum" }, said ? percent(at(at(table, j), j) / said) : "–"));
  });
  precision.append(h("td"));
  body.append(precision);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Confusion matrix" }, h("table", { class: "confusion" },
    h("caption", null, `True classes in rows, predicted ones in columns; ${store.set === "test" ? "test" : "training"} rows`),
    h("thead", null, h("tr", null, h("td"), ...names.map((n) => h("th", { scope: "col" }, n)), h("th", { scope: "col" }, "recall"))), body));
}

/** What leaves promise and what comes. */
function reliability() {
  const f = frame([0, 1], [0, 1], nClasses ? "predicted probability" : "", "share that came true", { height: 230 });
  const picture = svg("svg", { viewBox: `0 0 ${f.width} ${f.height}`, class: "chart", role: "img", "aria-label": "Predicted probability against the share that came true, a dot per leaf" }, f.axes,
    svg("path", { d: line([[0, 0], [1, 1]], f), class: "diagonal" }));
  for (const leaf of shown.leaves) {
    const c = counted(leaf.node.state, store.set);
    if (!c.n) continue;
    const share = at(c.classes, leaf.decision) / c.weight;
    const limits = interval(leaf, store.set);
    const x = f.x(certainty(leaf));
    if (limits) picture.append(svg("path", { d: `M${x},${f.y(at(limits, 0))}V${f.y(at(limits, 1))}`, class: "whisker" }));
    const size = 2.5 + 9 * Math.sqrt(c.weight / (counted(0, store.set).weight || 1));
    picture.append(svg("circle", { cx: x, cy: f.y(share), r: size, class: "dot", fill: classColour(leaf.decision) }, svg("title", null, `${pretty(ruleOf(leaf, 4))}: predicted ${percent(certainty(leaf))}, came true ${percent(share)} of ${count(c.n)}`)));
  }
  return h("div", null, h("h3", null, "Are the probabilities right?"), picture, h("p", { class: "small" }, `A dot per leaf: the predicted class, ${store.set === "test" ? "test" : "training"} rows, with ${Math.round(100 * data.level)} % intervals.`));
}

/** @param {SetName} set residual sums of a regression tree */
function fitOf(set) {
  const root = counted(0, set);
  let squares = 0;
  for (const leaf of shown.leaves) {
    const c = counted(leaf.node.state, set);
    if (c.n) squares += c.weight * (c.sd * c.sd + (c.mean - at(leaf.values, 0)) ** 2);
  }
  const mse = squares / root.weight;
  return { rmse: Math.sqrt(mse), r2: 1 - mse / (root.sd * root.sd) };
}

function residualTable() {
  const body = h("tbody");
  for (const leaf of shown.leaves) {
    const c = counted(leaf.node.state, store.set);
    const said = at(leaf.values, 0);
    body.append(h("tr", null, h("td", { class: "rule" }, pretty(ruleOf(leaf, 4))), h("td", null, count(c.n)), h("td", null, short(said, 5)),
      h("td", null, short(c.mean, 5)), h("td", null, short(c.mean - said, 3)), h("td", null, short(c.sd, 4)), h("td", null, intervalText(leaf, store.set))));
  }
  const heads = ["leaf", "rows", "predicted", "mean", "mean residual", "spread", "interval"];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Residuals by leaf" }, h("table", null, h("thead", null, h("tr", null, ...heads.map((t) => h("th", { scope: "col" }, t)))), body));
}

function residualChart() {
  const set = data.rows[store.set];
  if (!set || !set.y) return null;
  const ys = set.y;
  const pairs = ys.map((y, i) => {
    const way = wayOf(shown, rowAt(set, i));
    return /** @type {[number, number]} */ ([at(at(way, way.length - 1).values, 0), y]);
  });
  const f = frame(around(pairs.map((p) => p[0])), around(pairs.map((p) => p[1])), "predicted", "true value", { height: 230 });
  const low = Math.min(...pairs.map((p) => p[0])), high = Math.max(...pairs.map((p) => p[0]));
  const picture = svg("svg", { viewBox: `0 0 ${f.width} ${f.height}`, class: "chart", role: "img", "aria-label": "True values against predicted ones" }, f.axes, svg("path", { d: line([[low, low], [high, high]], f), class: "diagonal" }));
  for (const [said, y] of pairs) picture.append(svg("circle", { cx: f.x(said).toFixed(1), cy: f.y(y).toFixed(1), r: 1.8, class: "cloud" }));
  return h("div", null, h("h3", null, "Predicted and true"), picture, h("p", { class: "small" }, sampleText(set)));
}

/** @param {RowSet} set */
function sampleText(set) {
  if (set.number.length === set.total) return `All ${plural(set.total, "row")} are in this file.`;
  return `${plural(set.number.length, "row")} of ${count(set.total)} are in this file, evenly spaced.`;
}

/** @param {HTMLElement} panel */
function drawErrors(panel) {
  const sets = /** @type {SetName[]} */ (testedStates ? ["train", "test"] : ["train"]);
  const line = sets.map((set) => {
    const name = set === "test" ? "test" : "training";
    if (nClasses) return `${name} accuracy ${percent(accuracy(set), 2)}`;
    const { rmse, r2 } = fitOf(set);
    return `${name}: root mean squared error ${short(rmse, 4)}, R² ${r2.toFixed(3)}`;
  });
  // A wide table needs the whole width; then the chart goes above or below it.
  const parts = nClasses ? [confusionTable(), reliability()] : [residualChart(), residualTable()];
  const narrow = nClasses > 0 && nClasses <= 4;
  show(panel, h("p", { class: "verdict" }, line.join("; ")), h("div", { class: narrow ? "columns" : "stack" }, ...parts));
}
