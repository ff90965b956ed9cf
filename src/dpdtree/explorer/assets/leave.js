// What one takes along: files, and the address with everything in it.

const SVG_STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "opacity", "font-size", "font-weight", "font-family", "text-anchor"];

/** The drawing with its styles written into it. */
function svgText() {
  const { picture, boxes, width, height } = drawing(shown, store.folded, store.outline, store.set);
  for (const box of boxes) for (const part of box.spot.left ? splitBox(box, store.set) : leafBox(box, store.set)) if (part) picture.append(part);
  const stage = h("div", { class: "unseen canvas" }, picture);
  document.body.append(stage);
  for (const element of picture.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    for (const name of SVG_STYLES) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
  }
  const paper = getComputedStyle(document.body).getPropertyValue("--card").trim() || "#ffffff";
  picture.prepend(svg("rect", { width, height, fill: paper }));
  stage.remove();
  picture.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(picture);
}

/** @type {[string, string, string, () => string, string][]} */
const EXITS = [
  ["json", "Model file", "tree.json", modelText, "application/json"],
  ["python", "Python", "tree.py", pythonText, "text/x-python"],
  ["sql", "SQL", "tree.sql", sqlText, "text/plain"],
  ["rules", "Rules", "rules.txt", rulesText, "text/plain"],
  ["svg", "Picture (SVG)", "tree.svg", svgText, "image/svg+xml"],
];

/** @param {HTMLElement} panel */
function drawLeave(panel) {
  const preview = h("pre", { tabindex: 0, "aria-label": "Preview", id: "preview" });
  const rows = h("div", { class: "exits" });
  for (const [kind, name, file, make, type] of EXITS) {
    if (kind === "json" && !data.model) continue;
    rows.append(h("div", { class: "exit" }, h("strong", null, name),
      button("Download", () => download(file, make(), type), { "data-exit": kind, "aria-label": `Download ${name}` }),
      button("Copy", () => copy(make()), { "aria-label": `Copy ${name}` }),
      button("Show", () => (preview.textContent = make().slice(0, 20000)), { "data-show": kind, "aria-label": `Show ${name}` })));
  }
  rows.append(h("div", { class: "exit" }, h("strong", null, "Address"), button("Copy link", () => copy(location.href)), button("Print", () => window.print())));
  show(panel, h("p", { class: "small" }, "All of these are the tree that is shown, with your swaps. The model file is what dpdtree.load_model reads; the address of this page keeps tree, node and notes."), rows, preview);
}

/** @param {string} text */
function copy(text) {
  const area = /** @type {HTMLTextAreaElement} */ (h("textarea", { class: "unseen" }));
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  say(done ? "Copied" : "The browser did not allow copying");
}
