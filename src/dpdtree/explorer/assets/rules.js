// The leaves as a table that can be sorted, and the filter.

/** @type {{key: string, down: boolean}} */
const order = { key: "rows", down: true };

/** @param {Spot} leaf @param {string} key @returns {number | string} */
function sortKey(leaf, key) {
  const c = counted(leaf.node.state, store.set);
  if (key === "rows") return c.n;
  if (key === "prediction") return nClasses ? saidOf(leaf) : at(leaf.values, 0);
  if (key === "certainty") return nClasses ? certainty(leaf) : c.sd;
  if (key === "observed") return nClasses ? at(c.classes, leaf.decision) / (c.weight || 1) : c.mean;
  if (key === "loss") return at(states.loss, leaf.node.state);
  return pretty(ruleOf(leaf));
}

/** @param {HTMLElement} panel */
function drawRules(panel) {
  const leaves = shown.leaves.filter(passes);
  leaves.sort((a, b) => {
    const x = sortKey(a, order.key), y = sortKey(b, order.key);
    const way = x < y ? -1 : x > y ? 1 : 0;
    return order.down ? -way : way;
  });
  const heads = [["rule", "rule"], ["prediction", "prediction"], ["certainty", nClasses ? "probability" : "spread"], ["observed", nClasses ? "came true" : "mean"], ["interval", "interval"], ["rows", "rows"], ["loss", "part of the loss"]];
  const head = h("tr");
  for (const [key = "", text = ""] of heads) {
    if (key === "interval") {
      head.append(h("th", { scope: "col" }, text));
      continue;
    }
    const sorted = order.key === key;
    head.append(h("th", { scope: "col", "aria-sort": sorted ? (order.down ? "descending" : "ascending") : "none" },
      button(text + (sorted ? (order.down ? " ↓" : " ↑") : ""), () => {
        if (sorted) order.down = !order.down;
        else Object.assign(order, { key, down: key !== "rule" });
        drawRules(panel);
        [...panel.querySelectorAll("th button")].forEach((b) => {
          if (b instanceof HTMLElement && b.textContent?.startsWith(text)) b.focus();
        });
      })));
  }
  const body = h("tbody");
  for (const leaf of leaves) {
    const c = counted(leaf.node.state, store.set);
    const seen = !c.n ? "–" : nClasses ? percent(at(c.classes, leaf.decision) / c.weight) : short(c.mean, 5);
    body.append(h("tr", { class: leaf.path === store.selected ? "current" : null },
      h("td", { class: "rule" }, button(pretty(ruleOf(leaf, 4)), () => select(leaf.path), { class: "plain", title: pretty(ruleOf(leaf)) })),
      h("td", null, saidOf(leaf)), h("td", null, nClasses ? percent(certainty(leaf)) : short(c.sd, 4)), h("td", null, seen),
      h("td", null, intervalText(leaf, store.set)),
      h("td", null, count(c.n)), h("td", null, shownLoss(at(states.loss, leaf.node.state)))));
  }
  const rows = leaves.reduce((sum, leaf) => sum + counted(leaf.node.state, store.set).n, 0);
  show(panel, h("p", { class: "small" }, `${plural(leaves.length, "rule")} of ${shown.leaves.length}, ${plural(rows, store.set === "test" ? "test row" : "training row")}.`),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Rules" }, h("table", { class: "rules" }, h("thead", null, head), body)));
}

/** @param {string} label @param {HTMLElement} field */
function labelled(label, field) {
  return h("label", null, h("span", null, label), field);
}

/** @param {"least" | "most"} key @param {string} label */
function valueLimit(key, label) {
  return labelled(label, h("input", { type: "number", step: "any", class: "narrow", input: (e) => {
    store.filter[key] = e.target.value === "" ? null : Number(e.target.value);
    changed("filter");
  } }));
}

function setUpFilters() {
  const box = byId("filters");
  const support = h("select", { change: (e) => {
    store.filter.support = Number(e.target.value);
    changed("filter");
  } });
  for (const share of [0, 0.01, 0.02, 0.05, 0.1]) support.append(h("option", { value: share }, share ? `≥ ${percent(share, 0)}` : "any"));
  const parts = [labelled("Support", support)];
  if (about.classes) {
    const said = h("select", { change: (e) => {
      store.filter.prediction = e.target.value;
      changed("filter");
    } }, h("option", { value: "" }, "any"));
    for (const name of about.classes) said.append(h("option", { value: name }, name));
    const sure = h("select", { change: (e) => {
      store.filter.certainty = Number(e.target.value);
      changed("filter");
    } });
    for (const least of [0, 0.6, 0.75, 0.9, 0.95]) sure.append(h("option", { value: least }, least ? `≥ ${percent(least, 0)}` : "any"));
    parts.push(labelled("Prediction", said), labelled("Certainty", sure));
  } else parts.push(valueLimit("least", "Prediction from"), valueLimit("most", "to"));
  show(box, ...parts);
}
