// Everything together.

/** @type {[string, string, (panel: HTMLElement) => void, Topic[]][]} */
const TABS = [
  ["rules", "Rules", drawRules, ["tree", "set", "filter", "select"]],
  ["errors", nClasses ? "Confusion" : "Residuals", drawErrors, ["tree", "set"]],
  ["trace", "Trace a row", drawTrace, ["tree", "set"]],
  ["ask", "Questionnaire", drawAsk, ["tree"]],
  ["compare", "Compare", drawCompare, ["tree", "set", "other"]],
  ["leave", "Take it with you", drawLeave, ["tree"]],
];

/** @param {string} name */
function openTab(name) {
  store.tab = name;
  changed("tab");
}

function drawTabs() {
  if (!TABS.some(([name]) => name === store.tab)) store.tab = "rules";
  document.documentElement.dataset.tab = store.tab;
  const list = byId("tabs");
  const focused = list.contains(document.activeElement);
  // Two trees need the whole width.
  const home = byId(store.tab === "compare" ? "main" : "left");
  if (byId("more").parentElement !== home) home.append(byId("more"));
  show(list, ...TABS.map(([name, text]) => button(text, () => openTab(name), {
    role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, "aria-selected": name === store.tab ? "true" : "false", tabindex: name === store.tab ? 0 : -1,
  })));
  for (const panel of byId("panels").children) if (panel instanceof HTMLElement) panel.hidden = panel.id !== `panel-${store.tab}`;
  if (focused) byId(`tab-${store.tab}`).focus();
}

/** @param {Topic[]} topics redraw the open panel only; the others when they are opened */
function drawPanel(topics) {
  const tab = TABS.find(([name]) => name === store.tab);
  if (tab && tab[3].some((t) => topics.includes(t))) tab[2](byId(`panel-${store.tab}`));
}

function setUpTabs() {
  for (const [name] of TABS) byId("panels").append(h("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, class: "panel" }));
  byId("tabs").addEventListener("keydown", (e) => {
    const place = TABS.findIndex(([name]) => name === store.tab);
    const next = { ArrowRight: place + 1, ArrowLeft: place - 1 + TABS.length, Home: 0, End: TABS.length - 1 }[e.key];
    if (next === undefined) return;
    e.preventDefault();
    openTab(at(TABS, next % TABS.length)[0]);
  });
  when(["tab"], () => {
    drawTabs();
    const tab = TABS.find(([name]) => name === store.tab);
    if (tab) tab[2](byId(`panel-${store.tab}`));
  });
  for (const topic of /** @type {Topic[]} */ (["tree", "set", "filter", "select", "other"])) when([topic], () => drawPanel([topic]));
  when(["trace"], drawSteps);
}

function drawHead() {
  byId("title").textContent = about.title;
  const alpha = about.alpha === "mdl" ? ", α by description length" : about.alpha ? `, α = ${about.alpha}` : "";
  byId("subtitle").textContent = `${about.estimator}, strategy ${about.strategy}${alpha}; ${plural(features.length, "feature")}`;
  const figures = [["leaves", String(nLeaves(steps.tree))], ["depth", String(depthOf(steps.tree))], [`training ${about.loss_label}`, shownLoss(lossOf(steps.tree))]];
  if (testedStates) figures.push([`test ${about.loss_label}`, shownLoss(testLoss(shown))]);
  if (nClasses && about.loss !== "zero_one") {
    const set = testedStates ? "test" : "train";
    figures.push([`${set === "test" ? "test" : "training"} accuracy`, percent(accuracy(set))]);
  }
  show(byId("figures"), ...figures.map(([name = "", value = ""]) => h("div", null, h("dt", null, name), h("dd", null, value))));
  const set = (/** @type {string} */ id, /** @type {boolean} */ off) => (/** @type {HTMLButtonElement} */ (byId(id)).disabled = off);
  set("undo", !steps.past.length);
  set("redo", !steps.future.length);
  set("reset", choicesOf(steps.tree).join() === data.chosen.join());
}

function drawSets() {
  if (!testedStates) return;
  const names = /** @type {[SetName, string][]} */ ([["train", "Training rows"], ["test", "Test rows"]]);
  const focused = byId("sets").contains(document.activeElement);
  show(byId("sets"), ...names.map(([name, text]) => button(text, () => {
    store.set = name;
    changed("set");
  }, { "aria-pressed": store.set === name ? "true" : "false" })));
  if (focused) byId("sets").querySelector('[aria-pressed="true"]')?.dispatchEvent(new Event("focus"));
}

function setUpTools() {
  byId("undo").addEventListener("click", undo);
  byId("redo").addEventListener("click", redo);
  byId("reset").addEventListener("click", () => turnTo(grow(data.chosen), "The chosen tree"));
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  document.addEventListener("keydown", (e) => {
    const typing = e.target instanceof HTMLInputElement || e.target instanceof HTMLTextAreaElement;
    if (typing || !(e.ctrlKey || e.metaKey)) return;
    const key = e.key.toLowerCase();
    if (key === "z" && !e.shiftKey) undo();
    else if (key === "y" || key === "z") redo();
    else return;
    e.preventDefault();
  });
  when(["tree"], drawHead);
  when(["set"], drawSets);
}

function begin() {
  actions.threshold.forEach((t, a) => {
    // JSON has no infinity: a number that is missing, or not.
    if (t === null && !actions.categories[a]) actions.threshold[a] = Infinity;
  });
  byId("footer").textContent = `Written by dpdtree${data.model ? " " + data.model.dpdtree_version : ""}. This file is complete: it loads nothing and sends nothing.`;
  setUpTools();
  setUpFront();
  setUpTree();
  setUpFilters();
  setUpNode();
  setUpTabs();
  readFragment();
  changed("tree", "select", "set", "tab", "view");
  window.addEventListener("hashchange", () => {
    readFragment();
    changed("tree", "select", "set", "tab");
  });
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    store.zoom = 0;
    changed("view");
  });
}

begin();
