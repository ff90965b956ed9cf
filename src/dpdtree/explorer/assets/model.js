// Trees as choices among states and actions, and what is looked up or added for them.

const { states, actions, features, about } = data;
const nClasses = about.classes ? about.classes.length : 0;
const testedStates = data.tested || null;

/** @param {number} state @returns {TreeNode} */
function completed(state) {
  const action = at(states.best, state);
  if (action < 0) return leafOf(state);
  return split(action);
}

/** @param {number} state @returns {TreeNode} */
function leafOf(state) {
  return { state, action: -1, left: null, right: null };
}

/** An action with the best completion on both sides. @param {number} action @returns {TreeNode} */
function split(action) {
  return {
    state: at(actions.state, action),
    action,
    left: completed(at(actions.left, action)),
    right: completed(at(actions.right, action)),
  };
}

/** @template T @param {T[]} list @param {number} i @returns {T} */
function at(list, i) {
  return /** @type {T} */ (list[i]);
}

/** @param {number[]} choices actions in preorder, -1 for leaves @returns {TreeNode} */
function grow(choices) {
  let next = 0;
  /** @param {number} state @returns {TreeNode} */
  const node = (state) => {
    const action = choices[next++];
    if (action === undefined) throw new Error("the list of choices ends too early");
    if (action < 0) return leafOf(state);
    if (actions.state[action] !== state) throw new Error("an action of another state");
    const left = node(at(actions.left, action));
    return { state, action, left, right: node(at(actions.right, action)) };
  };
  const root = node(0);
  if (next !== choices.length) throw new Error("the list of choices is too long");
  return root;
}

/** @param {TreeNode} root @returns {number[]} */
function choicesOf(root) {
  /** @type {number[]} */
  const found = [];
  /** @param {TreeNode | null} node */
  const walk = (node) => {
    if (!node) return;
    found.push(node.action);
    walk(node.left);
    walk(node.right);
  };
  walk(root);
  return found;
}

/** @param {TreeNode} root @param {string} path @param {TreeNode} part @returns {TreeNode} */
function replaced(root, path, part) {
  if (path === "" || !root.left || !root.right) return part;
  const rest = path.slice(1);
  if (path[0] === "L") return { ...root, left: replaced(root.left, rest, part) };
  return { ...root, right: replaced(root.right, rest, part) };
}

/** The splits of one subtree, moved to the states below another split of the same rows.
 * @param {TreeNode} node @returns {number} */
function nLeaves(node) {
  return node.left && node.right ? nLeaves(node.left) + nLeaves(node.right) : 1;
}

/** @param {TreeNode} node @returns {number} */
function depthOf(node) {
  return node.left && node.right ? 1 + Math.max(depthOf(node.left), depthOf(node.right)) : 0;
}

/** The part of a subtree in the training loss. @param {TreeNode} node @returns {number} */
function lossOf(node) {
  return node.left && node.right ? lossOf(node.left) + lossOf(node.right) : at(states.loss, node.state);
}

/** @param {number} state @param {SetName} set @returns {Counted} */
function counted(state, set) {
  const from = set === "test" && testedStates ? testedStates : states;
  const classes = from.classes ? from.classes.slice(state * nClasses, (state + 1) * nClasses) : [];
  const n = at(from.n, state);
  const total = classes.reduce((a, b) => a + b, 0);
  const weight = from === states ? at(states.weight, state) : nClasses ? total : n;
  return {
    n,
    weight,
    classes,
    mean: from.mean?.[state] ?? NaN,
    sd: from.sd?.[state] ?? NaN,
  };
}

/** The class a state predicts: the most frequent, or the cheapest. @param {number} state */
function decisionOf(state) {
  if (!nClasses) return -1;
  if (states.decision) return at(states.decision, state);
  return indexOfLargest(counted(state, "train").classes);
}

/** @param {number[]} list */
function indexOfLargest(list) {
  let best = 0;
  list.forEach((x, i) => {
    if (x > at(list, best)) best = i;
  });
  return best;
}

/** What a state says by itself. @param {number} state @returns {number[]} */
function ownValues(state) {
  if (!nClasses) return [at(states.value || [], state)];
  const { classes, weight } = counted(state, "train");
  return classes.map((x) => (weight > 0 ? x / weight : 0));
}

/** How many rows the weight of a state stands for. @param {number} state @param {boolean} whole */
function rowsOf(state, whole) {
  const weight = at(states.weight, state);
  return whole ? weight : weight * (at(states.n, 0) / at(states.weight, 0));
}

/** @param {TreeNode} root @returns {Shown} */
function spread(root) {
  /** @type {Spot[]} */
  const spots = [];
  /** @param {TreeNode} node @param {Spot | null} parent @param {string} path @returns {Spot} */
  const walk = (node, parent, path) => {
    /** @type {Spot} */
    const spot = {
      path, node, parent, left: null, right: null, depth: path.length,
      values: ownValues(node.state), decision: decisionOf(node.state),
    };
    spots.push(spot);
    if (node.left && node.right) {
      spot.left = walk(node.left, spot, path + "L");
      spot.right = walk(node.right, spot, path + "R");
    }
    return spot;
  };
  const top = walk(root, null, "");
  shrink(spots);
  smooth(spots);
  return {
    root: top,
    spots,
    leaves: spots.filter((s) => !s.left),
    byPath: new Map(spots.map((s) => [s.path, s])),
  };
}

/** Divide each step of a path, as predict does; parents come first. @param {Spot[]} spots */
function shrink(spots) {
  if (!about.shrinkage) return;
  const whole = spots.every((s) => Number.isInteger(states.weight[s.node.state]));
  for (const spot of spots) {
    const above = spot.parent;
    if (above) {
      const rows = rowsOf(above.node.state, whole);
      const share = rows / (rows + about.shrinkage);
      const own = ownValues(spot.node.state), from = ownValues(above.node.state);
      spot.values = own.map((x, i) => at(above.values, i) + share * (x - at(from, i)));
    }
    if (nClasses) spot.decision = decisionBy(spot.values);
  }
}

/** The most frequent class, or the cheapest. @param {number[]} shares */
function decisionBy(shares) {
  const costs = about.costs;
  if (!costs) return indexOfLargest(shares);
  return indexOfLargest(shares.map((_, j) => -shares.reduce((sum, p, i) => sum + p * at(at(costs, i), j), 0)));
}

/** Draw probabilities towards those of all rows, as predict_proba does. @param {Spot[]} spots */
function smooth(spots) {
  const rule = about.smoothing;
  if (!rule) return;
  const whole = spots.every((s) => Number.isInteger(states.weight[s.node.state]));
  const prior = ownValues(0);
  for (const spot of spots) {
    const rows = rowsOf(spot.node.state, whole);
    const counts = spot.values.map(
      (x, i) => x * rows + (rule.kind === "laplace" ? 1 : rule.strength * at(prior, i)),
    );
    const label = indexOfLargest(spot.values);
    const kept = indexOfLargest(counts) === label ? counts : labelOnTop(counts, label);
    const total = kept.reduce((a, b) => a + b, 0);
    spot.values = kept.map((x) => x / total);
  }
}

/** Level the label with the classes above it. @param {number[]} counts @param {number} label */
function labelOnTop(counts, label) {
  const order = counts.map((_, i) => i).filter((i) => i !== label);
  order.sort((a, b) => at(counts, b) - at(counts, a) || a - b);
  const pooled = [label];
  const mean = () => pooled.reduce((sum, i) => sum + at(counts, i), 0) / pooled.length;
  for (const i of order) {
    if (at(counts, i) < mean()) break;
    pooled.push(i);
  }
  const level = mean();
  return counts.map((x, i) => (i === label ? level * (1 + 1e-9) : pooled.includes(i) ? level : x));
}

/** The loss of the tree on other rows. @param {Shown} shown */
function testLoss(shown) {
  if (!testedStates) return NaN;
  const total = at(testedStates.n, 0);
  let sum = 0;
  for (const leaf of shown.leaves) {
    const c = counted(leaf.node.state, "test");
    if (c.n) sum += nClasses ? classCost(leaf, c.classes) : numberCost(leaf, c, total);
  }
  return sum / total;
}

/** @param {Spot} leaf @param {number[]} classes */
function classCost(leaf, classes) {
  const p = leaf.values;
  const squares = p.reduce((s, x) => s + x * x, 0);
  return classes.reduce((sum, n, k) => {
    if (!n) return sum;
    if (about.costs) return sum + n * at(at(about.costs, k), leaf.decision);
    if (about.loss === "gini") return sum + n * (squares - 2 * at(p, k) + 1);
    if (about.loss === "log_loss") return sum - n * Math.log(at(p, k));
    return sum + (k === leaf.decision ? 0 : n);
  }, 0);
}

/** @param {Spot} leaf @param {Counted} c @param {number} total */
function numberCost(leaf, c, total) {
  if (about.loss === "squared_error") {
    return c.n * (c.sd * c.sd + (c.mean - at(leaf.values, 0)) ** 2);
  }
  // Counted for predictions that are not shrunk; others would need the rows.
  return about.shrinkage ? NaN : total * (testedStates?.loss[leaf.node.state] ?? NaN);
}

/** Wilson's interval for a share, Student's for a mean. @param {Spot} spot @param {SetName} set */
function interval(spot, set) {
  const c = counted(spot.node.state, set);
  if (!c.n) return null;
  if (!nClasses) return meanInterval(c, spot.node.state, set);
  const n = set === "test" ? c.n : rowsOf(spot.node.state, Number.isInteger(c.weight));
  const share = at(c.classes, spot.decision) / c.weight;
  const z = data.z;
  const middle = (share + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** @param {Counted} c @param {number} state @param {SetName} set */
function meanInterval(c, state, set) {
  if (!["squared_error", "poisson"].includes(about.loss) || !data.student) return null;
  const n = set === "test" ? c.n : Math.round(rowsOf(state, Number.isInteger(c.weight)));
  const place = data.student.n.indexOf(n);
  if (place < 0) return null;
  const half = at(data.student.t, place) * (c.sd / Math.sqrt(n - 1));
  return [c.mean - half, c.mean + half];
}

/** @param {number} action @param {Value} value whether a row with this value goes left */
function goesLeft(action, value) {
  if (value === null || value === undefined || Number.isNaN(value)) return actions.missing_left[action] === 1;
  const threshold = at(actions.threshold, action);
  if (threshold !== null) return value <= threshold;
  return (actions.categories[action] || []).includes(value);
}

/** @param {Shown} shown @param {Row} row the nodes of a row, from the root to its leaf */
function wayOf(shown, row) {
  const way = [shown.root];
  let spot = shown.root;
  while (spot.left && spot.right) {
    const action = spot.node.action;
    spot = goesLeft(action, row[at(actions.feature, action)] ?? null) ? spot.left : spot.right;
    way.push(spot);
  }
  return way;
}

/** @param {RowSet} set @param {number} i @returns {Row} */
function rowAt(set, i) {
  /** @type {Row} */
  const row = {};
  for (const [j, column] of Object.entries(set.columns)) row[Number(j)] = column[i] ?? null;
  return row;
}
