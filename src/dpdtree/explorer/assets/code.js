// The tree in other languages: rules, Python, SQL, and the model file.

/** Python's "%.1f": ties go to the even digit. @param {number} x */
function tenths(x) {
  const scaled = x * 10;
  const tie = Math.abs(scaled - Math.trunc(scaled)) === 0.5;
  return tie ? (2 * Math.round(scaled / 2) / 10).toFixed(1) : x.toFixed(1);
}

/** Python's "%.6g". @param {number} x */
function general(x) {
  if (x === 0) return "0";
  const [mantissa = "", exponent] = x.toExponential(5).split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(x.toPrecision(6)));
  const digits = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** @param {Spot} leaf one sentence, as export_rules writes it */
function sentence(leaf) {
  const parts = conditionsOf(leaf).map((c) => inWords(c));
  const head = parts.length ? `if ${joined(parts)} then` : "always";
  const c = counted(leaf.node.state, "train");
  const limits = interval(leaf, "train");
  let said;
  if (about.classes) {
    const share = at(c.classes, leaf.decision) / c.weight;
    const range = limits ? `, ${tenths(100 * at(limits, 0))} to ${tenths(100 * at(limits, 1))} %` : "";
    said = `class: ${saidOf(leaf)} (${tenths(100 * share)} %${range})`;
  } else {
    const known = limits && about.criterion === "squared_error";
    said = `value: ${general(at(leaf.values, 0))}${known && limits ? ` (${general(at(limits, 0))} to ${general(at(limits, 1))})` : ""}`;
  }
  return `${head} ${said} | based on ${c.n} ${c.n === 1 ? "sample" : "samples"}`;
}

function rulesText() {
  return shown.leaves.map(sentence).join("\n") + "\n";
}

/** @param {string | number | boolean} value */
function pythonLiteral(value) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (!Number.isFinite(value)) return `float("${value > 0 ? "inf" : value < 0 ? "-inf" : "nan"}")`;
  return pythonNumber(value);
}

/** Places of a feature as values. @param {number} j @param {number[]} places */
function plainValues(j, places) {
  const plain = featureOf(j).plain || featureOf(j).categories || [];
  return places.map((k) => at(plain, k));
}

/** The categories that take the other side than missing and unknown ones. @param {number} action @param {number} j */
function members(action, j) {
  const left = new Set(actions.categories[action] || []);
  const all = (featureOf(j).categories || []).map((_, k) => k);
  const inside = actions.missing_left[action] !== 1;
  return plainValues(j, all.filter((k) => left.has(k) === inside));
}

/** @param {number} action the condition under which a row goes left, in Python */
function pythonCondition(action) {
  const j = at(actions.feature, action);
  const value = `row[${about.named ? JSON.stringify(featureOf(j).name) : j}]`;
  const threshold = at(actions.threshold, action);
  const missingLeft = actions.missing_left[action] === 1;
  if (threshold === null) {
    return `${value} ${missingLeft ? "not in" : "in"} {${members(action, j).map(pythonLiteral).join(", ")}}`;
  }
  const limit = pythonLiteral(threshold);
  return missingLeft ? `not _number(${value}) > ${limit}` : `_number(${value}) <= ${limit}`;
}

function pythonText() {
  const lines = ['"""A decision tree, written by the explorer of dpdtree."""', "", "import math", ""];
  if (about.plain_classes) lines.push(`CLASSES = [${about.plain_classes.map(pythonLiteral).join(", ")}]`, "");
  lines.push("", "def _number(value):", '    """Return a number as a float; NaN if it is missing."""', "    return math.nan if value is None else float(value)", "", "");
  const kind = about.named ? "a dict of its features" : "a list of its features";
  if (about.plain_classes) {
    lines.push("def predict(row):", `    """Return the label of a row, ${kind}; None and NaN are missing."""`, "    return _leaf(row)[0]", "", "",
      "def predict_proba(row):", '    """Return the probabilities of CLASSES, in that order."""', "    return _leaf(row)[1]", "", "", "def _leaf(row):");
  } else lines.push("def predict(row):", `    """Return the prediction of a row, ${kind}; None and NaN are missing."""`);
  /** @param {Spot} spot @param {string} indent */
  const write = (spot, indent) => {
    if (!spot.left || !spot.right) {
      const values = spot.values.map(pythonLiteral);
      const label = about.plain_classes ? pythonLiteral(at(about.plain_classes, spot.decision)) : "";
      lines.push(`${indent}return ${about.plain_classes ? `${label}, [${values.join(", ")}]` : values[0]}`);
      return;
    }
    lines.push(`${indent}if ${pythonCondition(spot.node.action)}:`);
    write(spot.left, `${indent}    `);
    write(spot.right, indent);
  };
  write(shown.root, "    ");
  return lines.join("\n") + "\n";
}

/** @param {string | number | boolean} value */
function sqlLiteral(value) {
  if (typeof value === "string") return `'${value.replace(/'/g, "''")}'`;
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return pythonNumber(value);
}

/** @param {number} action */
function sqlCondition(action) {
  const j = at(actions.feature, action);
  const column = `"${featureOf(j).name.replace(/"/g, '""')}"`;
  const threshold = at(actions.threshold, action);
  const missingLeft = actions.missing_left[action] === 1;
  if (threshold === null) {
    const set = `(${members(action, j).map(sqlLiteral).join(", ")})`;
    return missingLeft ? `${column} NOT IN ${set} OR ${column} IS NULL` : `${column} IN ${set}`;
  }
  if (!Number.isFinite(threshold)) return missingLeft ? "1 = 1" : `${column} IS NOT NULL`;
  const test = `${column} <= ${pythonNumber(threshold)}`;
  return missingLeft ? `${test} OR ${column} IS NULL` : test;
}

/** @param {(leaf: Spot) => string} said */
function sqlCase(said) {
  /** @param {Spot} spot @param {string} indent @returns {string} */
  const write = (spot, indent) => {
    if (!spot.left || !spot.right) return said(spot);
    const deeper = `${indent}  `;
    return `CASE WHEN ${sqlCondition(spot.node.action)}\n${deeper}THEN ${write(spot.left, deeper)}\n${deeper}ELSE ${write(spot.right, deeper)}\n${indent}END`;
  };
  return write(shown.root, "  ");
}

function sqlText() {
  const columns = [];
  if (about.plain_classes) {
    const labels = about.plain_classes;
    columns.push(`${sqlCase((leaf) => sqlLiteral(at(labels, leaf.decision)))} AS prediction`, `${sqlCase((leaf) => sqlLiteral(certainty(leaf)))} AS probability`);
  } else columns.push(`${sqlCase((leaf) => sqlLiteral(at(leaf.values, 0)))} AS prediction`);
  return `-- A decision tree, written by the explorer of dpdtree. Missing values are NULL.\nSELECT *,\n  ${columns.join(",\n  ")}\nFROM rows_to_score;\n`;
}

/** JSON as Python writes it with sorted keys: the checksum is that of this text. @param {any} value @returns {string} */
function canonical(value) {
  if (value === null) return "null";
  if (typeof value === "number") return pythonNumber(value);
  if (typeof value === "string") return asciiString(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort((a, b) => {
    const x = Array.from(a), y = Array.from(b);
    for (let i = 0; i < Math.min(x.length, y.length); i++) {
      const way = /** @type {number} */ (x[i]?.codePointAt(0)) - /** @type {number} */ (y[i]?.codePointAt(0));
      if (way) return way;
    }
    return x.length - y.length;
  });
  return `{${keys.map((k) => `${asciiString(k)}:${canonical(value[k])}`).join(",")}}`;
}

/** @param {string} text */
function asciiString(text) {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The impurity of a node by the criterion. @param {number} state */
function impurityOf(state) {
  if (!nClasses) return at(states.impurity || [], state);
  const p = ownValues(state);
  if (about.criterion === "gini") return 1 - p.reduce((s, x) => s + x * x, 0);
  // Entropy in bits, as scikit-learn has it.
  return p.reduce((s, x) => (x > 0 ? s - x * Math.log2(x) : s), 0);
}

/** @param {number} x */
function jsonFloat(x) {
  return Number.isFinite(x) ? x : x > 0 ? "Infinity" : x < 0 ? "-Infinity" : "NaN";
}

function treeDocument() {
  const { spots } = shown;
  const place = new Map(spots.map((s, i) => [s.path, i]));
  const isSplit = (/** @type {Spot} */ s) => !!s.left;
  /** @type {Record<string, any>} */
  const tree = {
    children_left: spots.map((s) => (s.left ? place.get(s.left.path) : -1)),
    children_right: spots.map((s) => (s.right ? place.get(s.right.path) : -1)),
    feature: spots.map((s) => (isSplit(s) ? at(actions.feature, s.node.action) : -2)),
    threshold: spots.map((s) => (isSplit(s) ? jsonFloat(at(actions.threshold, s.node.action) ?? NaN) : -2)),
    missing_go_to_left: spots.map((s) => (isSplit(s) ? at(actions.missing_left, s.node.action) : 0)),
    value: spots.map((s) => ownValues(s.node.state)),
    impurity: spots.map((s) => impurityOf(s.node.state)),
    n_node_samples: spots.map((s) => at(states.n, s.node.state)),
    weighted_n_node_samples: spots.map((s) => at(states.weight, s.node.state)),
    n_classes: [nClasses || 1],
  };
  const sets = spots.map((s) => (isSplit(s) ? actions.categories[s.node.action] || null : null));
  if (sets.some((s) => s)) tree.categories_left = sets;
  return tree;
}

/** @param {number} x */
function taggedFloat(x) {
  return Number.isFinite(x) ? x : { $float: jsonFloat(x) };
}

/** What a fit with these splits would report. @param {Record<string, any>} fitted */
function fittedDocument(fitted) {
  let complexity = about.complexity === "n_leaves" && about.alpha !== "mdl" ? shown.leaves.length : 0;
  let cost = 0;
  for (const { node } of shown.spots.filter((s) => s.left)) {
    complexity += actions.complexity[node.action] ?? NaN;
    cost += actions.feature_cost[node.action] ?? NaN;
  }
  const loss = lossOf(steps.tree);
  const objective = taggedFloat(loss + (about.alpha === "mdl" ? 1 : Number(about.alpha)) * complexity + cost);
  return { ...fitted, loss_: loss, complexity_: taggedFloat(complexity), feature_cost_: taggedFloat(cost), objective_: objective, lower_bound_: taggedFloat(NaN), gap_: taggedFloat(NaN), is_optimal_: false };
}

/** All splits of the shown tree as `forced_splits` takes them. @param {Spot} spot @returns {Record<string, any> | null} */
function forcedSplits(spot) {
  if (!spot.left || !spot.right) return null;
  const action = spot.node.action;
  const j = at(actions.feature, action);
  const threshold = at(actions.threshold, action);
  /** @type {Record<string, any>} */
  const found = { feature: about.named ? featureOf(j).name : j, missing_left: actions.missing_left[action] === 1 };
  if (threshold === null) found.categories = plainValues(j, actions.categories[action] || []);
  else found.threshold = taggedFloat(threshold);
  const [left, right] = [forcedSplits(spot.left), forcedSplits(spot.right)];
  if (left) found.left = left;
  if (right) found.right = right;
  return found;
}

/** A file that dpdtree.load_model reads. */
function modelText() {
  const model = data.model;
  if (!model) return "";
  /** @type {Record<string, any>} */
  const document = { ...model, tree: treeDocument() };
  if (choicesOf(steps.tree).join() !== data.chosen.join()) {
    document.fitted = fittedDocument(model.fitted);
    if (shown.root.left) document.parameters = { ...model.parameters, forced_splits: forcedSplits(shown.root) };
  }
  document.checksum = `sha256:${sha256(canonical(document))}`;
  return `${canonical(document)}\n`;
}

/** @param {string} text ASCII */
function sha256(text) {
  const fraction = (/** @type {number} */ x) => ((x - Math.floor(x)) * 4294967296) | 0;
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const constants = primes.map((p) => fraction(Math.cbrt(p)));
  const hash = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
  const size = (((text.length + 8) >> 6) + 1) << 4;
  const words = new Int32Array(size);
  for (let i = 0; i < text.length; i++) words[i >> 2] = (words[i >> 2] || 0) | (text.charCodeAt(i) << (24 - 8 * (i & 3)));
  words[text.length >> 2] = (words[text.length >> 2] || 0) | (128 << (24 - 8 * (text.length & 3)));
  words[size - 2] = Math.floor(text.length / 536870912);
  words[size - 1] = text.length << 3;
  const w = new Int32Array(64);
  const turn = (/** @type {number} */ x, /** @type {number} */ n) => (x >>> n) | (x << (32 - n));
  for (let block = 0; block < size; block += 16) {
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, k = 0] = hash;
    for (let t = 0; t < 64; t++) {
      if (t < 16) w[t] = words[block + t] || 0;
      else {
        const x = w[t - 15] || 0, y = w[t - 2] || 0;
        w[t] = ((turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)) + (w[t - 7] || 0) + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (w[t - 16] || 0)) | 0;
      }
      const s = (k + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + at(constants, t) + (w[t] || 0)) | 0;
      const m = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [k, g, f, e, d, c, b, a] = [g, f, e, (d + s) | 0, c, b, a, (s + m) | 0];
    }
    [a, b, c, d, e, f, g, k].forEach((x, i) => (hash[i] = (at(hash, i) + x) | 0));
  }
  return hash.map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
}
