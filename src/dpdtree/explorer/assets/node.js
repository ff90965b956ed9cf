// One node: its rows, the other splits it could have, how flat its threshold is.

/** @param {Spot} spot */
function nodeFigures(spot) {
  const rows = h("tbody");
  const sets = /** @type {SetName[]} */ (testedStates ? ["train", "test"] : ["train"]);
  for (const set of sets) {
    const c = counted(spot.node.state, set);
    const said = nClasses ? percent(at(c.classes, spot.decision) / c.weight) : short(c.mean, 5);
    rows.append(h("tr", null,
      h("th", { scope: "row" }, set === "test" ? "test" : "training"),
      h("td", null, count(c.n)),
      h("td", null, percent(c.weight / (counted(0, set).weight || 1))),
      h("td", null, c.n ? said : "–"),
      h("td", null, intervalText(spot, set))));
  }
  const share = nClasses ? `share of ${saidOf(spot)}` : "mean";
  const heads = ["", "rows", "of all", share, `${Math.round(100 * data.level)} % interval`];
  return h("table", { class: "figures-table" }, h("thead", null, h("tr", null, ...heads.map((t) => (t ? h("th", { scope: "col" }, t) : h("td"))))), rows);
}

/** @param {Spot} spot */
function classBars(spot) {
  if (!about.classes) return null;
  const c = counted(spot.node.state, store.set);
  const list = h("ul", { class: "bars" });
  const order = about.classes.map((_, k) => k).sort((a, b) => at(c.classes, b) - at(c.classes, a)).slice(0, 8);
  for (const k of order) {
    const share = c.weight > 0 ? at(c.classes, k) / c.weight : 0;
    const bar = svg("svg", { class: "bar-line", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: 100, height: 6, class: "bar-back" }), svg("rect", { width: 100 * share, height: 6, fill: classColour(k) }));
    list.append(h("li", null, h("span", { class: "bar-name" }, at(about.classes, k)), bar, h("span", { class: "bar-value" }, `${percent(share)} · ${count(at(c.classes, k))}`)));
  }
  return list;
}

/** @param {Spot} spot the key of its place among the resampled trees */
function placeKey(spot) {
  let key = "";
  /** @type {Spot[]} */
  const way = [];
  for (let s = spot; s.parent; s = s.parent) way.unshift(s);
  for (const s of way) {
    const above = /** @type {Spot} */ (s.parent);
    key += `/${actions.feature[above.node.action]}${s.path.slice(-1)}`;
  }
  return key;
}

/** @param {Spot} spot @param {number} feature */
function stabilityOf(spot, feature) {
  if (!data.stability) return null;
  const here = data.stability.places[placeKey(spot)] || [];
  const found = here.find(([j]) => j === feature);
  return { share: (found ? found[1] : 0) / data.stability.fits, quartiles: found ? found[2] : [] };
}

/** @type {number[][]} */
const actionsByState = states.best.map(() => []);
actions.state.forEach((state, action) => at(actionsByState, state).push(action));

/** @param {Spot} spot the splits of a state: those of the search in its order, then the others */
function splitsAt(spot) {
  return at(actionsByState, spot.node.state).filter((a) => actions.kind[a] !== 2 || a === spot.node.action);
}

/** @param {Spot} spot */
function alternatives(spot) {
  const rest = lossOf(steps.tree) - lossOf(spot.node);
  /** @type {{action: number, text: string, loss: number, leaves: number, make: () => TreeNode}[]} */
  const options = splitsAt(spot).map((action) => ({
    action, text: question(action, 2), loss: at(actions.loss, action), leaves: at(actions.leaves, action), make: () => split(action),
  }));
  const stop = { action: -1, text: "no split: a leaf", loss: at(states.loss, spot.node.state), leaves: 1, make: () => leafOf(spot.node.state) };
  options.push(stop);
  const mine = lossOf(spot.node);
  // To stop is mostly so much worse that it would make the others look alike.
  const worst = Math.max(...options.filter((o) => o.action >= 0 || options.length === 1).map((o) => o.loss));
  const best = Math.min(...options.map((o) => o.loss));
  const body = h("tbody");
  for (const option of options) body.append(alternativeRow(spot, option, rest, mine, best, worst));
  const heads = ["split", `${about.loss_label} of the tree`, "against now", "leaves"];
  if (data.stability) heads.push(`of ${data.stability.fits} fits`);
  return h("div", null,
    h("h3", null, "Splits that could stand here"),
    h("p", { class: "small" }, `Each with the best tree that the search has found below it${about.alpha ? ", ordered by loss plus the price of splits" : ""}.`),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Other splits" },
      h("table", { class: "splits" }, h("thead", null, h("tr", null, ...heads.map((t) => h("th", { scope: "col" }, t)))), body)));
}

/** @param {Spot} spot @param {{action: number, text: string, loss: number, leaves: number, make: () => TreeNode}} option
 * @param {number} rest @param {number} mine @param {number} best @param {number} worst */
function alternativeRow(spot, option, rest, mine, best, worst) {
  const current = option.action === spot.node.action;
  // The splits below may have been changed by hand: then this one can be chosen anew.
  const same = current && choicesOf(option.make()).join() === choicesOf(spot.node).join();
  const loss = same ? mine : option.loss;
  const width = worst > best ? Math.min(100, (100 * (loss - best)) / (worst - best)) : 0;
  const bar = svg("svg", { class: "bar-line", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { width: Math.max(1.5, width), height: 4, class: "bar-loss" }));
  const name = pretty(option.text);
  const use = same
    ? h("span", { class: "is" }, name)
    : button(name, () => turnTo(replaced(steps.tree, spot.path, option.make()), `Now ${name}`), { class: "swap", "data-action": option.action });
  const stable = option.action >= 0 && stabilityOf(spot, at(actions.feature, option.action));
  const full = option.action >= 0 ? pretty(inWords(condition(option.action))) : "";
  return h("tr", { class: same ? "current" : null, title: full },
    h("td", null, use, actions.kind[option.action] === 1 ? h("span", { class: "tag" }, "from the front") : null, bar),
    h("td", null, shownLoss(rest + loss)),
    h("td", { class: loss - mine > 0 ? "more" : "less" }, same ? "now" : signedLoss(loss - mine)),
    h("td", null, String(nLeaves(steps.tree) - nLeaves(spot.node) + option.leaves)),
    data.stability ? h("td", null, stable ? percent(stable.share, 0) : "–") : null);
}

/** @param {Spot} spot */
function curveOf(spot) {
  const action = spot.node.action;
  const threshold = actions.threshold[action];
  if (threshold === null || threshold === undefined) return null;
  const j = at(actions.feature, action);
  const { name } = featureOf(j);
  const title = h("h3", null, "How flat is the threshold?");
  const curve = data.curves[action];
  if (!curve) {
    const text = actions.kind[action] === 2 ? "This threshold was rounded by hand; undo shows the curve again." : "The file has curves for the chosen tree, for the splits that could stand there and for what follows the first two levels of them; this split lies deeper.";
    return h("div", null, title, h("p", { class: "small" }, text));
  }
  const f = frame(around(curve.t, 0.02), around(curve.loss), name, about.loss_label, { height: 170 });
  const rest = lossOf(steps.tree) - lossOf(spot.node);
  const g = frame(around(curve.t, 0.02), around(curve.loss.map((v) => v + rest)), name, `${about.loss_label} of the tree`, { height: 170 });
  const here = curve.loss[curve.t.indexOf(threshold)] ?? NaN;
  const picture = svg("svg", { viewBox: `0 0 ${f.width} ${f.height}`, class: "chart curve", role: "img", "aria-label": `Loss against the threshold of ${name}; now ${nice(threshold)}` }, g.axes,
    svg("path", { d: line(curve.t.map((t, i) => [t, at(curve.loss, i)]), f), class: "line train" }),
    svg("path", { d: `M${f.x(threshold)},22V${f.height - 34}`, class: "here" }),
    svg("circle", { cx: f.x(threshold), cy: f.y(here), r: 4.5, class: "point now" }));
  for (const offer of curve.rounder) picture.append(svg("circle", { cx: f.x(offer.t), cy: f.y(offer.loss), r: 3.5, class: "rounder" }));
  const offers = h("p", { class: "offers" });
  for (const offer of curve.rounder) {
    const moved = offer.rows ? `${plural(offer.rows, "row")} change sides` : "no row changes sides";
    offers.append(button(`${name} ≤ ${nice(offer.t)}`, () => turnTo(replaced(steps.tree, spot.path, split(offer.action)), `Rounded to ${nice(offer.t)}`),
      { class: "swap", "data-action": offer.action, title: `${signedLoss(offer.loss - here)}; ${moved}` }),
      h("span", { class: "small" }, ` ${signedLoss(offer.loss - here)}, ${moved} `));
  }
  const stable = stabilityOf(spot, j);
  return h("div", null, title, picture,
    curve.rounder.length ? h("p", { class: "small" }, "Rounder numbers in the flat part:") : h("p", { class: "small" }, "No rounder number costs as little. The splits below stay, their leaves are fitted anew."),
    curve.rounder.length ? offers : null,
    stable && stable.quartiles.length === 3 ? h("p", { class: "small" }, `In resampled fits the threshold lies between ${stable.quartiles.map(nice)[0]} and ${stable.quartiles.map(nice)[2]} half of the time.`) : null);
}

/** @param {Spot} spot */
function noteField(spot) {
  const key = noteKey(spot);
  return h("label", { class: "note" }, h("span", null, "Note on this node"),
    h("textarea", {
      rows: 2, placeholder: "Kept in the address of the page",
      input: (e) => {
        if (e.target.value) store.notes[key] = e.target.value;
        else delete store.notes[key];
        changed("note");
      },
    }, store.notes[key] || ""));
}

function drawNode() {
  const spot = selectedSpot();
  const way = conditionsOf(spot).map((c) => h("li", null, pretty(inWords(c, 6, nice))));
  show(byId("node"),
    way.length ? h("ul", { class: "way", "aria-label": "Conditions" }, ...way) : h("p", { class: "small" }, "The root: all rows."),
    h("p", { class: "verdict" }, spot.left ? "Splits on " : "Leaf: ", h("strong", null, spot.left ? pretty(question(spot.node.action, 6)) : saidOf(spot)), nClasses && !spot.left ? ` with probability ${percent(certainty(spot))}` : ""),
    nodeFigures(spot), classBars(spot), alternatives(spot), curveOf(spot), noteField(spot));
}

function setUpNode() {
  when(["tree", "select", "set"], drawNode);
}
