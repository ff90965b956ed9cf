// The tree as a conversation: one feature at a time, only those that matter.

/** @type {Answer[]} */
let answers = [];

/** Whether an answer sends a row left: true, false, or null if it does not say. @param {number} action @param {Answer | undefined} answer */
function sideOf(action, answer) {
  if (!answer || answer.kind === "unknown") return null;
  return goesLeft(action, answer.kind === "missing" ? null : answer.value);
}

/** How probable it is to get to each node, given the answers. @returns {Map<Spot, number>} */
function chances() {
  /** @type {Map<Spot, number>} */
  const found = new Map();
  /** @param {Spot} spot @param {number} chance */
  const walk = (spot, chance) => {
    found.set(spot, chance);
    if (!spot.left || !spot.right) return;
    const side = sideOf(spot.node.action, answers.find((a) => a.feature === actions.feature[spot.node.action]));
    if (side !== false) walk(spot.left, side ? chance : chance * shareLeft(spot));
    if (side !== true) walk(spot.right, side === false ? chance : chance * (1 - shareLeft(spot)));
  };
  walk(shown.root, 1);
  return found;
}

/** @param {Spot} spot the share of training rows that go left */
function shareLeft(spot) {
  const left = /** @type {Spot} */ (spot.left);
  return at(states.weight, left.node.state) / at(states.weight, spot.node.state);
}

/** The feature to ask for next: that of the likeliest open split. @param {Map<Spot, number>} reach */
function nextFeature(reach) {
  /** @type {Spot | null} */
  let best = null;
  for (const [spot, chance] of reach) {
    if (!spot.left || answers.some((a) => a.feature === actions.feature[spot.node.action])) continue;
    if (!best || chance > /** @type {number} */ (reach.get(best))) best = spot;
  }
  return best ? at(actions.feature, best.node.action) : -1;
}

/** Ranges of a number between which no split of the tree tells a difference. @param {number} j @param {Map<Spot, number>} reach */
function buckets(j, reach) {
  const cuts = new Set();
  for (const spot of reach.keys()) {
    const t = spot.left && actions.feature[spot.node.action] === j ? at(actions.threshold, spot.node.action) : null;
    if (t !== null && Number.isFinite(t)) cuts.add(t);
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  /** @type {{text: string, value: number}[]} */
  const found = sorted.map((t, i) => ({ text: i ? `more than ${nice(at(sorted, i - 1))}, up to ${nice(t)}` : `up to ${nice(t)}`, value: t }));
  if (sorted.length) found.push({ text: `more than ${nice(at(sorted, sorted.length - 1))}`, value: Infinity });
  return found;
}

/** @param {HTMLElement} panel @param {Answer} answer */
function reply(panel, answer) {
  answers.push(answer);
  drawAsk(panel);
  const next = panel.querySelector(".chips button, .chips select");
  if (next instanceof HTMLElement) next.focus();
}

/** @param {HTMLElement} panel @param {number} j @param {Map<Spot, number>} reach */
function ask(panel, j, reach) {
  const { name, categories: known, missing } = featureOf(j);
  const chips = h("div", { class: "chips" });
  const add = (/** @type {string} */ text, /** @type {Answer["kind"]} */ kind, /** @type {number} */ value) =>
    chips.append(button(text, () => reply(panel, { feature: j, kind, value, text }), { class: kind === "unknown" ? "chip quiet" : "chip" }));
  if (known && known.length <= 24) known.forEach((text, k) => add(text, "category", k));
  else if (known) {
    const field = h("select", { "aria-label": name }, h("option", { value: "" }, "choose …"), ...known.map((text, k) => h("option", { value: k }, text)));
    field.addEventListener("change", () => {
      const k = Number(/** @type {HTMLSelectElement} */ (field).value);
      reply(panel, { feature: j, kind: "category", value: k, text: known[k] || "" });
    });
    chips.append(field);
  } else for (const { text, value } of buckets(j, reach)) add(text, "number", value);
  if (missing) add("there is no value", "missing", NaN);
  add("I don’t know", "unknown", NaN);
  return h("div", null, h("p", { class: "ask" }, `${answers.length + 1}. What is `, h("strong", null, name), "?"), chips);
}

/** @param {Map<Spot, number>} reach */
function outcome(reach) {
  const ends = [...reach].filter(([spot]) => !spot.left).sort((a, b) => b[1] - a[1]);
  const mix = shown.root.values.map((_, k) => ends.reduce((sum, [leaf, p]) => sum + p * at(leaf.values, k), 0));
  const list = h("ul", { class: "bars" });
  for (const [leaf, p] of ends.slice(0, 12)) {
    const bar = svg("svg", { class: "bar-line", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: 100, height: 6, class: "bar-back" }), svg("rect", { width: 100 * p, height: 6, fill: colourOf(leaf)[0] }));
    list.append(h("li", { "data-leaf": leaf.path }, button(`${saidOf(leaf)}${nClasses ? ` (${percent(certainty(leaf), 0)})` : ""}`, () => select(leaf.path), { class: "plain bar-name" }), bar, h("span", { class: "bar-value" }, percent(p))));
  }
  const verdict = about.classes
    ? mix.map((p, k) => ({ p, name: at(about.classes || [], k) })).sort((a, b) => b.p - a.p).slice(0, 4).map(({ p, name }) => `${name} ${percent(p)}`).join(", ")
    : `expected value ${short(at(mix, 0), 5)}`;
  const title = ends.length === 1 ? "The answer" : `${plural(ends.length, "leaf", "leaves")} are still possible`;
  return h("div", null, h("h3", null, title), h("p", { class: "verdict", id: "ask-verdict" }, verdict), list,
    ends.length > 1 ? h("p", { class: "small" }, "Unknown answers are averaged over, in proportion to the training rows.") : null);
}

/** @param {HTMLElement} panel */
function drawAsk(panel) {
  const reach = chances();
  const j = nextFeature(reach);
  const given = h("ol", { class: "given" });
  answers.forEach((a, i) => given.append(h("li", null, `${featureOf(a.feature).name}: ${a.text} `, button("change", () => {
    answers = answers.slice(0, i);
    drawAsk(panel);
  }, { class: "plain", "aria-label": `Change the answer on ${featureOf(a.feature).name}` }))));
  show(panel, h("div", { class: "columns" },
    h("div", null, answers.length ? given : h("p", { class: "small" }, "Only questions that can still change the prediction are asked."),
      j >= 0 ? ask(panel, j, reach) : h("p", { class: "verdict" }, "No further questions."),
      answers.length ? button("Start again", () => {
        answers = [];
        drawAsk(panel);
      }) : null),
    outcome(reach)));
}
