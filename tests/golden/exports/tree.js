// A fitted model, written by dpdtree.
const model = (() => {
"use strict";

const classes = ["no", "yes"];
const set_0 = new Set(["blue", "it's"]);

// A missing value is NaN.
function readNumber(value) {
  if (value === null || value === undefined) return NaN;
  if (!["number", "boolean", "bigint"].includes(typeof value))
    throw new TypeError(`${String(value)} is not a number`);
  return Number(value);
}

// A missing category is null.
function readText(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  if (typeof value !== "string")
    throw new TypeError(`${String(value)} is not a string, as the categories are`);
  return value;
}

function read(row) {
  return [
    readNumber(row["age"]),
    readText(row["favourite color"]),
  ];
}

function tree(age, favourite_color) {
  if (!(age > 40.5)) {
    if (set_0.has(favourite_color)) {
      return ["no", [1.0, 0.0]];
    } else {
      return ["yes", [0.125, 0.875]];
    }
  } else {
    return ["no", [0.75, 0.25]];
  }
}

function predict(row) {
  return tree(...read(row))[0];
}

// Probabilities in the order of classes.
function predictProba(row) {
  return tree(...read(row))[1];
}

return { predict, predictProba, classes };
})();
if (typeof module !== "undefined") module.exports = model;
