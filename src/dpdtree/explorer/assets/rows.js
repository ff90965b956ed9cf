// The way of one row: chosen from the file, pasted or typed.

/** @param {string} text a line of CSV @returns {string[]} */
function cellsOf(text) {
  /** @type {string[]} */
  const cells = [];
  let cell = "", quoted = false;
  const mark = text.includes("\t") ? "\t" : text.includes(";") && !text.includes(",") ? ";" : ",";
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') {
        cell += c;
        i++;
      } else quoted = false;
    } else if (c === '"' && cell.trim() === "") {
      quoted = true;
      cell = "";
    } else if (c === mark) {
      cells.push(cell);
      cell = "";
    } else cell += c;
  }
  cells.push(cell);
  return cells.map((x) => x.trim());
}

const MISSING = ["", "na", "nan", "null", "none", "?"];

/** @param {number} j @param {string} text @returns {{value: Value, wrong?: string}} */
function parsed(j, text) {
  const { name, categories: known } = featureOf(j);
  if (known) {
    const place = known.indexOf(text);
    if (place >= 0) return { value: place };
    if (MISSING.includes(text.toLowerCase())) return { value: null };
    return { value: null, wrong: `${name}: ${text} was not in the training rows; it goes where missing values go.` };
  }
  if (MISSING.includes(text.toLowerCase())) return { value: null };
  const value = Number(text);
  if (Number.isNaN(value)) return { value: null, wrong: `${name}: ${text} is not a number; it is treated as missing.` };
  return { value };
}

/** @param {string} text one line, or names and a line @returns {{row: Row, wrong: string[]}} */
function pasted(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim());
  const last = cellsOf(lines[lines.length - 1] || "");
  const names = lines.length > 1 ? cellsOf(lines[0] || "") : features.map((f) => f.name);
  /** @type {Row} */
  const row = {};
  const wrong = [];
  if (last.length !== names.length) wrong.push(`The line has ${last.length} entries, ${names.length} were expected.`);
  features.forEach((f, j) => {
    const place = names.indexOf(f.name);
    const got = parsed(j, place < 0 ? "" : last[place] ?? "");
    row[j] = got.value;
    if (got.wrong) wrong.push(got.wrong);
  });
  return { row, wrong };
}

/** @param {Row} row @param {string} name */
function trace(row, name) {
  store.row = row;
  store.rowName = name;
  changed("trace");
}

/** Features that the tree asks for, in the order of the columns. @returns {number[]} */
function askedFeatures() {
  const asked = new Set(shown.spots.filter((s) => s.left).map((s) => at(actions.feature, s.node.action)));
  return [...asked].sort((a, b) => a - b);
}

/** @param {number} difference @param {string} what */
function contribution(difference, what) {
  const size = nClasses ? `${(100 * Math.abs(difference)).toFixed(1)} points` : short(Math.abs(difference), 4);
  const text = `${difference < 0 ? "−" : "+"}${size}`;
  return h("span", { class: difference < 0 ? "down" : "up", title: what }, text);
}

/** The class whose probability is followed. @param {Spot} leaf */
function followed(leaf) {
  return nClasses ? leaf.decision : 0;
}

/** @param {Row} row */
function stepsOf(row) {
  const way = wayOf(shown, row);
  const leaf = at(way, way.length - 1);
  const k = followed(leaf);
  const what = about.classes ? `probability of ${at(about.classes, k)}` : "prediction";
  const form = (/** @type {number} */ v) => (nClasses ? percent(v) : short(v, 5));
  const list = h("ol", { class: "steps" });
  list.append(h("li", null, h("span", null, `All rows: ${what}`), h("strong", null, form(at(shown.root.values, k)))));
  for (let i = 1; i < way.length; i++) {
    const spot = at(way, i), above = at(way, i - 1);
    const action = above.node.action;
    const j = at(actions.feature, action);
    const left = spot.path.endsWith("L");
    list.append(h("li", null,
      h("span", null, pretty(inWords(condition(action, left), 6, nice)), h("em", null, ` (${featureOf(j).name} is ${valueText(j, row[j] ?? null)})`)),
      contribution(at(spot.values, k) - at(above.values, k), `change of the ${what}`), h("strong", null, form(at(spot.values, k)))));
  }
  list.append(h("li", { class: "end" }, h("span", null, "Prediction"), h("strong", null, saidOf(leaf))));
  return list;
}

/** @param {HTMLElement} panel */
function drawTrace(panel) {
  const message = h("p", { class: "small", role: "status" });
  const set = data.rows[store.set];
  const parts = [];
  if (set) {
    const field = h("input", { type: "number", min: 1, max: set.number.length, value: 1, class: "narrow", "aria-label": "Row of the file" });
    const go = (/** @type {number} */ i) => {
      const place = Math.max(0, Math.min(set.number.length - 1, i));
      /** @type {HTMLInputElement} */ (field).value = String(place + 1);
      trace(rowAt(set, place), `${store.set === "test" ? "test" : "training"} row ${at(set.number, place)}${truth(set, place)}`);
    };
    const now = () => Number(/** @type {HTMLInputElement} */ (field).value) - 1;
    field.addEventListener("change", () => go(now()));
    parts.push(h("fieldset", null, h("legend", null, "A row of the file"), h("div", { class: "line-up" }, field,
      button("Show", () => go(now())), button("Next", () => go(now() + 1)), button("Any", () => go(Math.floor(Math.random() * set.number.length)))),
      h("p", { class: "small" }, sampleText(set))));
  }
  const area = h("textarea", { rows: 2, "aria-label": "Line of CSV", placeholder: cut(features.map((f) => f.name).join(","), 120) });
  parts.push(h("fieldset", null, h("legend", null, "A pasted line"), area, h("div", { class: "line-up" }, button("Trace it", () => {
    const { row, wrong } = pasted(/** @type {HTMLTextAreaElement} */ (area).value);
    trace(row, "pasted row");
    message.textContent = wrong.join(" ");
  }), h("span", { class: "small" }, "Values in the order of the columns, or a line of names above them."))));
  parts.push(typedFields());
  const result = h("div", { id: "trace-result" });
  show(panel, h("div", { class: "columns" }, h("div", null, ...parts, message), result));
  drawSteps();
}

/** @param {RowSet} set @param {number} i */
function truth(set, i) {
  if (!set.y) return "";
  const y = at(set.y, i);
  return `, in truth ${about.classes ? at(about.classes, y) : short(y, 5)}`;
}

function typedFields() {
  const box = h("div", { class: "fields" });
  for (const j of askedFeatures()) {
    const { name, categories: known, quantiles } = featureOf(j);
    const set = (/** @type {string} */ text) => trace({ ...(store.row || {}), [j]: parsed(j, text).value }, "typed row");
    const field = known ? h("select", { change: (e) => set(e.target.value), "data-feature": j }, h("option", { value: "" }, "missing"), ...known.map((text) => h("option", { value: text }, text)))
      : h("input", { type: "text", inputmode: "decimal", "data-feature": j, placeholder: quantiles ? `e.g. ${nice(quantiles[3] ?? 0)}` : "", change: (e) => set(e.target.value) });
    box.append(labelled(name, field));
  }
  return h("fieldset", null, h("legend", null, "Typed values"), box);
}

/** Let the fields say what the traced row has. */
function fillFields() {
  for (const field of byId("panels").querySelectorAll("[data-feature]")) {
    const j = Number(field.getAttribute("data-feature"));
    const value = store.row ? store.row[j] ?? null : null;
    const input = /** @type {HTMLInputElement} */ (field);
    if (document.activeElement !== input) input.value = value === null ? "" : valueText(j, value);
  }
}

function drawSteps() {
  const box = document.getElementById("trace-result");
  if (!box) return;
  if (!store.row) {
    show(box, h("p", { class: "small" }, "Choose, paste or type a row: its path is marked in the tree, and each step shows what it changes."));
    return;
  }
  fillFields();
  show(box, h("h3", null, `The path of the ${store.rowName}`), stepsOf(store.row), button("Forget this row", () => {
    store.row = null;
    changed("trace");
  }));
}
