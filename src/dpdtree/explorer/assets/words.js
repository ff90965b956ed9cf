// Splits, conditions, rules and colours in words.

/** @param {number} j */
function featureOf(j) {
  return at(features, j);
}

/** @param {number} j @param {Value} value */
function valueText(j, value) {
  if (value === null || value === undefined) return "missing";
  const known = featureOf(j).categories;
  return known ? known[value] ?? "unknown" : pythonNumber(value);
}

/** @param {number} action @returns {Condition} */
function condition(action, left = true) {
  return narrowed({ feature: at(actions.feature, action), low: -Infinity, high: Infinity, categories: null, missing: true }, action, left);
}

/** A condition after one more split. @param {Condition} c @param {number} action @param {boolean} left @returns {Condition} */
function narrowed(c, action, left) {
  const missing = c.missing && (actions.missing_left[action] === 1) === left;
  const threshold = at(actions.threshold, action);
  if (threshold !== null) {
    if (left) return { ...c, missing, high: Math.min(c.high, threshold) };
    return { ...c, missing, low: Math.max(c.low, threshold) };
  }
  const known = c.categories || (featureOf(c.feature).categories || []).map((_, i) => i);
  const inside = new Set(actions.categories[action] || []);
  return { ...c, missing, categories: known.filter((k) => inside.has(k) === left) };
}

/** @param {string[]} names @param {number} most */
function listed(names, most) {
  const more = names.length - most;
  if (more > 1) return `{${names.slice(0, most).join(", ")}, ... ${more} more}`;
  return `{${names.join(", ")}}`;
}

/**
 * The words of export_rules. @param {Condition} c @param {number} [most] categories that are listed
 * @param {(x: number) => string} [number]
 */
function inWords(c, most = Infinity, number = pythonNumber) {
  const { name, categories: known, missing: seen } = featureOf(c.feature);
  if (c.categories && known) return categoryWords(name, c, known, seen, most);
  if (c.low >= c.high) return `${name} is missing`;
  if (c.low === -Infinity && c.high === Infinity) return `${name} is not missing`;
  let text = `${number(c.low)} < ${name} <= ${number(c.high)}`;
  if (c.low === -Infinity) text = `${name} <= ${number(c.high)}`;
  else if (c.high === Infinity) text = `${name} > ${number(c.low)}`;
  return text + (c.missing && seen ? " or missing" : "");
}

/** @param {string} name @param {Condition} c @param {string[]} known @param {boolean} seen @param {number} most */
function categoryWords(name, c, known, seen, most) {
  const places = c.categories || [];
  const allowed = places.map((k) => at(known, k));
  if (!c.missing) return `${name} in ${listed(allowed, most)}`;
  const orMissing = seen ? "missing or " : "";
  if (!allowed.length) return `${name} is ${orMissing}unknown`;
  const others = known.filter((_, k) => !places.includes(k));
  if (!others.length) return `${name} is anything`;
  if (others.length <= allowed.length) {
    return `${name} not in ${listed(others, most)}${seen ? " or missing" : ""}`;
  }
  return `${name} in ${listed(allowed, most)} or ${orMissing}unknown`;
}

/** @param {string} text nicer on a screen than in code */
function pretty(text) {
  return text.replace(/ <= /g, " ≤ ");
}

/** The question of a split, short. @param {number} action @param {number} [most] */
function question(action, most = 3) {
  const j = at(actions.feature, action);
  const threshold = at(actions.threshold, action);
  const { name, categories: known } = featureOf(j);
  if (threshold !== null) return `${name} ≤ ${nice(threshold)}`;
  const inside = new Set(actions.categories[action] || []);
  const left = (known || []).filter((_, k) => inside.has(k));
  const right = (known || []).filter((_, k) => !inside.has(k));
  // The shorter list, so that it can be read at a glance.
  const [word, sign, list] = left.length <= right.length ? ["in", "=", left] : ["not in", "≠", right];
  return list.length === 1 ? `${name} ${sign} ${list[0]}` : `${name} ${word} ${listed(list, most)}`;
}

/** As few digits as tell the threshold from its neighbours on a screen. @param {number} x */
function nice(x) {
  return pythonNumber(Number(x.toPrecision(6)));
}

/** Conditions on the way to a node, those on one feature taken together. @param {Spot} spot @returns {Condition[]} */
function conditionsOf(spot) {
  /** @type {Spot[]} */
  const way = [];
  for (let s = spot; s.parent; s = s.parent) way.unshift(s);
  /** @type {Map<number, Condition>} */
  const found = new Map();
  for (const s of way) {
    const above = /** @type {Spot} */ (s.parent);
    const j = at(actions.feature, above.node.action);
    const before = found.get(j);
    const left = s.path.endsWith("L");
    found.set(j, before ? narrowed(before, above.node.action, left) : condition(above.node.action, left));
  }
  return [...found.values()];
}

/** @param {string[]} parts */
function joined(parts) {
  if (!parts.length) return "always";
  return parts.map((c) => (parts.length > 1 && c.includes(" or ") ? `(${c})` : c)).join(" and ");
}

/** @param {Spot} spot */
function ruleOf(spot, most = Infinity) {
  return joined(conditionsOf(spot).map((c) => inWords(c, most)));
}

/** What is predicted. @param {Spot} spot */
function saidOf(spot) {
  if (!about.classes) return short(at(spot.values, 0), 5);
  return at(about.classes, spot.decision);
}

/** How sure it is: the probability of the predicted class. @param {Spot} spot */
function certainty(spot) {
  return nClasses ? at(spot.values, spot.decision) : NaN;
}

/** @param {Spot} spot for screen readers */
function spoken(spot) {
  const c = counted(spot.node.state, store.set);
  const share = c.weight / counted(0, store.set).weight;
  const rows = `${plural(c.n, store.set === "test" ? "test row" : "training row")}, ${percent(share)}`;
  const sure = nClasses ? ` with probability ${percent(certainty(spot))}` : "";
  const side = spot.parent ? (spot.path.endsWith("L") ? "If yes: " : "If no: ") : "";
  if (!spot.left) return `${side}Leaf: ${saidOf(spot)}${sure}; ${rows}.`;
  return `${side}${question(spot.node.action, 6)}? ${rows}; so far ${saidOf(spot)}${sure}.`;
}

/** @param {Spot} spot @param {SetName} set */
function intervalText(spot, set) {
  const limits = interval(spot, set);
  if (!limits) return "–";
  const [low, high] = [at(limits, 0), at(limits, 1)];
  if (!nClasses) return `${short(low, 4)} – ${short(high, 4)}`;
  return `${(100 * low).toFixed(1)} – ${percent(high)}`;
}

/** @param {number} k */
function classColour(k) {
  return `var(--c${k % 10})`;
}

/** The colour of a prediction and how strong it is. @param {Spot} spot @returns {[string, number]} */
function colourOf(spot) {
  if (nClasses) {
    const least = 1 / nClasses;
    const strength = (certainty(spot) - least) / (1 - least || 1);
    return [classColour(spot.decision), Math.max(0.15, Math.min(1, strength))];
  }
  const middle = at(shown.root.values, 0);
  const far = Math.max(...shown.leaves.map((l) => Math.abs(at(l.values, 0) - middle)), 1e-300);
  const away = (at(spot.values, 0) - middle) / far;
  return [away < 0 ? "var(--c0)" : "var(--c1)", Math.max(0.12, Math.min(1, Math.abs(away)))];
}
