// Two trees side by side, and the rows of which they say different things.

/** @param {Shown} tree @param {RowSet} set @param {number} i */
function endOf(tree, set, i) {
  const way = wayOf(tree, rowAt(set, i));
  return at(way, way.length - 1);
}

/** @param {Spot} a @param {Spot} b */
function differ(a, b) {
  return nClasses ? a.decision !== b.decision : a.values[0] !== b.values[0];
}

/** @param {Shown} other @param {RowSet} set */
function changes(other, set) {
  /** @type {{i: number, a: Spot, b: Spot}[]} */
  const found = [];
  for (let i = 0; i < set.number.length; i++) {
    const a = endOf(other, set, i), b = endOf(shown, set, i);
    if (differ(a, b)) found.push({ i, a, b });
  }
  if (!nClasses) found.sort((x, y) => Math.abs(at(y.a.values, 0) - at(y.b.values, 0)) - Math.abs(at(x.a.values, 0) - at(x.b.values, 0)));
  return found;
}

/** @param {Shown} tree @param {string} name */
function miniature(tree, name) {
  const { picture, boxes } = drawing(tree, new Set(), window.innerWidth < 620, store.set);
  for (const box of boxes) for (const part of box.spot.left ? splitBox(box, store.set) : leafBox(box, store.set)) if (part) picture.append(part);
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", `${name}, ${plural(tree.leaves.length, "leaf", "leaves")}`);
  picture.removeAttribute("height");
  return h("div", { class: "miniature" }, h("h3", null, name), picture);
}

/** @param {Shown} other */
function comparisonTable(other) {
  const sides = [other, shown].map((tree) => {
    const cells = [String(tree.leaves.length), String(Math.max(...tree.spots.map((s) => s.depth))), shownLoss(tree.leaves.reduce((sum, l) => sum + at(states.loss, l.node.state), 0))];
    if (testedStates) cells.push(shownLoss(testLoss(tree)));
    return cells;
  });
  const names = ["leaves", "depth", `${about.loss_label}, training`];
  if (testedStates) names.push(`${about.loss_label}, test`);
  const body = h("tbody");
  names.forEach((name, i) => body.append(h("tr", null, h("th", { scope: "row" }, name), h("td", null, sides[0]?.[i] || ""), h("td", null, sides[1]?.[i] || ""))));
  return h("table", null, h("thead", null, h("tr", null, h("td"), h("th", { scope: "col" }, "A"), h("th", { scope: "col" }, "B (shown)"))), body);
}

/** @param {Shown} other @param {RowSet} set */
function changedRows(other, set) {
  const found = changes(other, set);
  const share = found.length / set.number.length;
  const some = h("tbody");
  for (const { i, a, b } of found.slice(0, 40)) {
    const truthful = set.y ? (about.classes ? at(about.classes, at(set.y, i)) : short(at(set.y, i), 5)) : "–";
    some.append(h("tr", null, h("td", null, button(`row ${at(set.number, i)}`, () => trace(rowAt(set, i), `${store.set === "test" ? "test" : "training"} row ${at(set.number, i)}`), { class: "plain" })),
      h("td", null, saidOf(a)), h("td", null, saidOf(b)), h("td", null, truthful)));
  }
  const verb = nClasses ? "change class" : "get another value";
  const right = nClasses && set.y ? found.reduce((sum, { i, a, b }) => sum + Number(b.decision === set.y?.[i]) - Number(a.decision === set.y?.[i]), 0) : 0;
  const gain = nClasses && set.y && found.length ? ` B is right on ${plural(Math.abs(right), "row")} ${right < 0 ? "fewer" : "more"}.` : "";
  return h("div", null, h("h3", null, "Rows that change"),
    h("p", { class: "verdict", id: "changed-rows" }, `${plural(found.length, "row")} of ${count(set.number.length)} (${percent(share)}) ${verb}.${gain}`),
    h("p", { class: "small" }, sampleText(set)),
    found.length ? h("div", { class: "scroll short", tabindex: 0, role: "region", "aria-label": "Rows that change" }, h("table", null, h("thead", null, h("tr", null, ...["", "A says", "B says", "truth"].map((t) => (t ? h("th", { scope: "col" }, t) : h("td"))))), some)) : null);
}

/** @param {readonly number[]} choices the option of a tree that can be chosen, "" for one made by hand */
function optionOf(choices) {
  const key = choices.join();
  if (data.chosen.join() === key) return "chosen:0";
  if (data.cart && data.cart.tree.join() === key) return "cart:0";
  const place = data.front.findIndex((p) => p.tree.join() === key);
  return place < 0 ? "" : `front:${place}`;
}

/** @param {HTMLElement} panel */
function drawCompare(panel) {
  const choose = h("select", { "aria-label": "Tree A", change: (e) => {
    const [kind, place] = String(e.target.value).split(":");
    const point = kind === "front" ? at(data.front, Number(place)) : kind === "cart" ? data.cart : null;
    if (kind === "past") store.other = choicesOf(at(steps.past, Number(place)));
    else if (kind === "own") store.other = choicesOf(steps.tree);
    else store.other = point ? point.tree : data.chosen;
    store.otherName = nameOfTree(store.other);
    changed("other");
  } }, h("option", { value: "" }, "choose tree A …"), h("option", { value: "chosen:0" }, "the chosen tree"),
    data.cart ? h("option", { value: "cart:0" }, "CART") : null);
  data.front.forEach((p, i) => choose.append(h("option", { value: `front:${i}` }, `front: ${plural(p.leaves, "leaf", "leaves")}`)));
  const keep = button("Keep the shown tree as A", () => {
    store.other = choicesOf(steps.tree);
    store.otherName = nameOfTree(store.other);
    changed("other");
    say("The shown tree is kept as A; change the tree to compare");
  });
  /** @type {HTMLSelectElement} */ (choose).value = store.other ? optionOf(store.other) : "";
  const bar = h("div", { class: "line-up" }, choose, keep);
  if (!store.other) {
    show(panel, bar, h("p", { class: "small" }, "Choose a tree A; B is always the tree that is shown above, so swaps and clicks in the front change it."));
    return;
  }
  const other = spread(grow(store.other));
  const set = data.rows[store.set];
  show(panel, bar, h("div", { class: "side-by-side" }, miniature(other, `A: ${store.otherName}`), miniature(shown, `B: ${nameOfTree(choicesOf(steps.tree))}`)),
    h("div", { class: "columns" }, comparisonTable(other), set ? changedRows(other, set) : null));
}
