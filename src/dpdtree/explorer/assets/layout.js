// Where nodes go. From left to right: leaves get a line each, a split lies between its
// sides. As an outline: every node gets a line, indented by its depth.

const BOX = { narrow: 104, wide: 190, height: 42, second: 15, gap: 34, line: 32, indent: 18, margin: 10 };
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const ruler = document.createElement("canvas").getContext("2d");

/** @param {string} text @param {string} [font] how wide a text is */
function textWidth(text, font = "600 12.5px") {
  if (!ruler) return 7 * text.length;
  ruler.font = `${font} ${FONT}`;
  return ruler.measureText(text).width;
}

/** @param {string} text @param {number} room @param {string} [font] as much of a text as there is room for */
function fitted(text, room, font) {
  if (textWidth(text, font) <= room) return text;
  let most = Array.from(text).length;
  while (most > 1 && textWidth(cut(text, most), font) > room) most--;
  return cut(text, most);
}

/** @param {string} text @param {number} room @returns {string[]} a text in one line, or two if it is longer */
function inLines(text, room) {
  if (textWidth(text) <= room) return [text];
  const words = text.split(" ");
  let first = words.shift() || "";
  while (words.length && textWidth(`${first} ${words[0]}`) <= room) first += ` ${words.shift()}`;
  const lines = [fitted(first, room)];
  if (words.length) lines.push(fitted(words.join(" "), room));
  return lines;
}

/** @param {Spot} spot @param {boolean} folded what is written beside the question of a split */
function markOf(spot, folded) {
  const marks = [store.notes[noteKey(spot)] ? "✎" : "", folded ? `▸ ${nLeaves(spot.node)}` : ""];
  return marks.filter((m) => m).join(" ");
}

/** @param {Spot} spot @param {boolean} folded @param {number} width @returns {string[]} the lines of its question */
function questionLines(spot, folded, width) {
  const mark = markOf(spot, folded);
  return inLines(question(spot.node.action), width - 17 - (mark ? 6 + textWidth(mark, "11px") : 0));
}

/** @param {Spot} spot @param {boolean} folded @param {number} width how high the box of a split is */
function splitHeight(spot, folded, width) {
  return BOX.height + BOX.second * (questionLines(spot, folded, width).length - 1);
}

/** @param {Spot} spot what is written in a leaf */
function leafText(spot) {
  return nClasses ? `${fitted(saidOf(spot), 96)} ${percent(certainty(spot), 0)}` : saidOf(spot);
}

/** @param {Spot} spot how wide its box has to be */
function wanted(spot) {
  const rows = count(counted(spot.node.state, store.set).n);
  if (!spot.left) return 23 + textWidth(leafText(spot)) + 14 + textWidth(rows, "11px") + 11;
  const note = store.notes[noteKey(spot)] ? 16 : 0;
  return textWidth(question(spot.node.action)) + 18 + note;
}

/** @param {Shown} tree @returns {number[]} a width for each level */
function columnWidths(tree) {
  /** @type {number[]} */
  const widths = [];
  for (const spot of tree.spots) {
    const needed = Math.max(BOX.narrow, Math.min(BOX.wide, Math.ceil(wanted(spot))));
    widths[spot.depth] = Math.max(widths[spot.depth] || 0, needed);
  }
  return widths;
}

/**
 * @typedef {{spot: Spot, x: number, y: number, width: number, height: number, folded: boolean}} Box
 * @typedef {{boxes: Box[], width: number, height: number}} Drawing
 */

/** @param {Shown} tree @param {Set<string>} folded @param {boolean} outline @returns {Drawing} */
function arranged(tree, folded, outline) {
  return outline ? asOutline(tree, folded) : fromLeftToRight(tree, folded);
}

/** @param {Shown} tree @param {Set<string>} folded @returns {Drawing} */
function fromLeftToRight(tree, folded) {
  /** @type {Box[]} */
  const boxes = [];
  const widths = columnWidths(tree);
  const lefts = [BOX.margin];
  widths.forEach((width, depth) => (lefts[depth + 1] = at(lefts, depth) + width + BOX.gap));
  let line = 0;
  let right = 0;
  /** @param {Spot} spot @returns {number} the middle of the node */
  const place = (spot) => {
    const hidden = !!spot.left && folded.has(spot.path);
    const width = at(widths, spot.depth);
    const box = { spot, x: at(lefts, spot.depth), y: 0, width, height: 0, folded: hidden };
    box.height = spot.left ? splitHeight(spot, hidden, width) : BOX.line - 6;
    boxes.push(box);
    let middle;
    if (spot.left && spot.right && !hidden) {
      middle = (place(spot.left) + place(spot.right)) / 2;
    } else {
      // Splits are higher than leaves: one that is folded needs a line of its own height.
      const height = hidden ? box.height + 6 : BOX.line;
      middle = BOX.margin + line + height / 2;
      line += height;
    }
    if (!spot.left) box.width = Math.max(BOX.narrow, Math.ceil(wanted(spot)));
    right = Math.max(right, box.x + box.width);
    box.y = middle - box.height / 2;
    return middle;
  };
  place(tree.root);
  return { boxes, width: right + BOX.margin, height: Math.max(line, BOX.height) + 2 * BOX.margin };
}

/** @param {Shown} tree @param {Set<string>} folded @returns {Drawing} */
function asOutline(tree, folded) {
  /** @type {Box[]} */
  const boxes = [];
  let y = BOX.margin;
  let deepest = 0;
  /** @param {Spot} spot */
  const place = (spot) => {
    const hidden = !!spot.left && folded.has(spot.path);
    const width = spot.left ? 210 : 190;
    const height = spot.left ? splitHeight(spot, hidden, width) : BOX.line - 6;
    boxes.push({ spot, x: BOX.margin + spot.depth * BOX.indent, y, width, height, folded: hidden });
    y += height + 8;
    deepest = Math.max(deepest, spot.depth);
    if (spot.left && spot.right && !hidden) {
      place(spot.left);
      place(spot.right);
    }
  };
  place(tree.root);
  return { boxes, width: BOX.margin * 2 + deepest * BOX.indent + 215, height: y + BOX.margin };
}
