// What is shown, what was shown before, and the fragment of the address that tells it.

/** @typedef {"tree" | "select" | "set" | "fold" | "filter" | "trace" | "other" | "note" | "tab" | "view"} Topic */

/** @type {{set: SetName, selected: string, folded: Set<string>, notes: Record<string, string>,
 *   filter: Filter, row: Row | null, rowName: string, other: number[] | null, otherName: string,
 *   tab: string, zoom: number, outline: boolean}} */
const store = {
  set: "train",
  selected: "",
  folded: new Set(),
  notes: {},
  filter: { support: 0, certainty: 0, prediction: "", least: null, most: null },
  row: null,
  rowName: "",
  other: null,
  otherName: "",
  tab: "rules",
  zoom: 0,
  outline: window.innerWidth < 620,
};

/** @type {{past: TreeNode[], tree: TreeNode, future: TreeNode[]}} */
const steps = { past: [], tree: grow(data.chosen), future: [] };
let shown = spread(steps.tree);

/** @type {[Topic[], () => void][]} */
const watchers = [];

/** @param {Topic[]} topics @param {() => void} act */
function when(topics, act) {
  watchers.push([topics, act]);
}

/** @param {Topic[]} topics */
function changed(...topics) {
  for (const [wanted, act] of watchers) if (wanted.some((t) => topics.includes(t))) act();
  writeFragment();
}

/** @param {TreeNode} tree */
function adopt(tree) {
  steps.tree = tree;
  shown = spread(tree);
  while (!shown.byPath.has(store.selected)) store.selected = store.selected.slice(0, -1);
  changed("tree");
}

/** Show another tree; undo brings the present one back. @param {TreeNode} tree @param {string} said */
function turnTo(tree, said) {
  if (choicesOf(tree).join() === choicesOf(steps.tree).join()) return;
  steps.past.push(steps.tree);
  steps.future = [];
  adopt(tree);
  say(`${said}. Loss ${shownLoss(lossOf(tree))}, ${plural(nLeaves(tree), "leaf", "leaves")}.`);
}

function undo() {
  const before = steps.past.pop();
  if (!before) return;
  steps.future.push(steps.tree);
  adopt(before);
  say("Undone");
}

function redo() {
  const next = steps.future.pop();
  if (!next) return;
  steps.past.push(steps.tree);
  adopt(next);
  say("Done again");
}

/** @param {string} path */
function select(path) {
  if (store.selected === path) return;
  store.selected = path;
  changed("select");
}

/** @returns {Spot} */
function selectedSpot() {
  return shown.byPath.get(store.selected) || shown.root;
}

/** Notes stay with what is asked above them, not with a place in the drawing. @param {Spot} spot */
function noteKey(spot) {
  /** @type {number[]} */
  const way = [];
  for (let s = spot; s.parent; s = s.parent) way.unshift(s.node.state);
  return way.join(".");
}

/** @param {number[]} choices */
function packed(choices) {
  return choices.map((c) => (c < 0 ? "" : c.toString(36))).join(".");
}

/** @param {string} text */
function unpacked(text) {
  return text.split(".").map((c) => (c === "" ? -1 : parseInt(c, 36)));
}

function writeFragment() {
  const parts = new URLSearchParams();
  const choices = choicesOf(steps.tree);
  if (choices.join() !== data.chosen.join()) parts.set("tree", packed(choices));
  if (store.selected) parts.set("node", store.selected);
  if (store.set === "test") parts.set("rows", "test");
  if (store.other) parts.set("with", packed(store.other));
  if (store.tab !== "rules") parts.set("tab", store.tab);
  if (Object.keys(store.notes).length) parts.set("notes", JSON.stringify(store.notes));
  const text = parts.toString();
  const place = location.href.replace(/#.*$/, "") + (text ? `#${text}` : "");
  if (place !== location.href) window.history.replaceState(null, "", place);
}

function readFragment() {
  const parts = new URLSearchParams(location.hash.slice(1));
  try {
    const tree = parts.get("tree");
    steps.tree = grow(tree === null ? data.chosen : unpacked(tree));
    const other = parts.get("with");
    if (other !== null) {
      store.other = choicesOf(grow(unpacked(other)));
      store.otherName = nameOfTree(store.other);
    }
    const notes = JSON.parse(parts.get("notes") || "{}");
    store.notes = {};
    for (const [key, text] of Object.entries(notes)) store.notes[key] = String(text);
  } catch {
    say("The address names a tree that is not in this file; the chosen tree is shown.");
    steps.tree = grow(data.chosen);
  }
  shown = spread(steps.tree);
  store.set = parts.get("rows") === "test" && testedStates ? "test" : "train";
  store.tab = parts.get("tab") || "rules";
  const node = parts.get("node") || "";
  store.selected = shown.byPath.has(node) ? node : "";
}

/** @param {number[]} choices */
function nameOfTree(choices) {
  const text = choices.join();
  if (text === data.chosen.join()) return "the chosen tree";
  const point = data.front.find((p) => p.tree.join() === text);
  if (point) return `the tree with ${plural(point.leaves, "leaf", "leaves")} on the front`;
  if (data.cart && data.cart.tree.join() === text) return "CART";
  return `a tree of your own with ${plural(nLeaves(grow(choices)), "leaf", "leaves")}`;
}
