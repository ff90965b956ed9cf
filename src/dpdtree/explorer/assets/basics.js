// Elements and numbers. Text from data only ever becomes text nodes and attributes.

/** @param {string} id @returns {HTMLElement} */
function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/** @type {Data} */
const data = JSON.parse(byId("data").textContent || "{}");

/**
 * @typedef {Record<string, string | number | boolean | null | undefined | ((e: any) => void)>} Attributes
 * @typedef {(Node | string | null | undefined | false)[]} Children
 */

/**
 * @param {Element} element @param {Attributes | null} attributes @param {Children} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/**
 * @param {string} tag @param {Attributes | null} [attributes] @param {Children} children
 * @returns {HTMLElement}
 */
function h(tag, attributes = null, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * @param {string} tag @param {Attributes | null} [attributes] @param {Children} children
 * @returns {SVGElement}
 */
function svg(tag, attributes = null, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return /** @type {SVGElement} */ (element);
}

/** @param {Element} element @param {Children} children */
function show(element, ...children) {
  element.replaceChildren(...children.filter((c) => !!c).map((c) => c || ""));
}

/** @param {string} label @param {() => void} act @param {Attributes} [more] */
function button(label, act, more = {}) {
  return h("button", { type: "button", click: act, ...more }, label);
}

/** @param {string} text */
function say(text) {
  byId("live").textContent = text;
}

/** @param {number} x @param {number} [digits] significant ones */
function short(x, digits = 4) {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) return x.toExponential(Math.max(0, digits - 2));
  if (Number.isInteger(x)) return String(x);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return x.toFixed(Math.min(decimals, 12)).replace(/\.0+$/, "");
}

/** @param {number} x a loss; always with the same number of decimals in a page */
function shownLoss(x) {
  const root = data.states.loss[0] || 1;
  const decimals = Math.min(10, Math.max(1, 4 - Math.floor(Math.log10(root))));
  return Number.isFinite(x) ? x.toFixed(root >= 1e6 ? 0 : decimals) : "–";
}

/** @param {number} x */
function signedLoss(x) {
  const text = shownLoss(Math.abs(x));
  if (Number(text) === 0) return "±0";
  return (x < 0 ? "−" : "+") + text;
}

/** @param {number} share @param {number} [decimals] */
function percent(share, decimals = 1) {
  return Number.isFinite(share) ? `${(100 * share).toFixed(decimals)}\u202f%` : "–";
}

/** @param {number} n */
function count(n) {
  const text = Number.isInteger(n) ? String(n) : n.toFixed(1);
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** @param {number} n @param {string} one @param {string} [several] */
function plural(n, one, several) {
  return `${count(n)} ${n === 1 ? one : several || one + "s"}`;
}

/**
 * Write a number as Python's repr does, whole ones without ".0".
 * @param {number} x
 */
function pythonNumber(x) {
  if (Number.isInteger(x) && Math.abs(x) < 1e16) return String(x);
  const [mantissa, exponent] = x.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    const digits = String(Math.abs(power)).padStart(2, "0");
    return `${mantissa}e${power < 0 ? "-" : "+"}${digits}`;
  }
  const text = String(x);
  return text.includes("e") ? x.toFixed(Math.max(0, (mantissa || "").length - 2 - power)) : text;
}

/** @param {string} text @param {number} most */
function cut(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : letters.slice(0, most - 1).join("") + "…";
}

/** @param {string} name @param {string} text @param {string} type */
function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
