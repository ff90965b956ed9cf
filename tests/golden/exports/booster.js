// A fitted model, written by dpdtree.
const model = (() => {
"use strict";

const classes = [1, 2, 3];
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

function tree_0(age, favourite_color) {
  if (!(age > 40.5)) {
    return -0.25;
  } else {
    return 0.5;
  }
}

function tree_1(age, favourite_color) {
  if (!(age > 40.5)) {
    return -1.25;
  } else {
    return 0.5;
  }
}

function tree_2(age, favourite_color) {
  if (!(age > 40.5)) {
    return -2.25;
  } else {
    return 0.5;
  }
}

function tree_3(age, favourite_color) {
  if (set_0.has(favourite_color)) {
    return 0.125;
  } else {
    return -1.5;
  }
}

function tree_4(age, favourite_color) {
  if (set_0.has(favourite_color)) {
    return 0.125;
  } else {
    return -0.5;
  }
}

function tree_5(age, favourite_color) {
  if (set_0.has(favourite_color)) {
    return 0.125;
  } else {
    return 0.5;
  }
}

const baseline = [0.25, 0.5, 0.75];
const trees = [
  [0, tree_0],
  [1, tree_1],
  [2, tree_2],
  [0, tree_3],
  [1, tree_4],
  [2, tree_5],
];

// Raw scores.
function decisionFunction(row) {
  const x = read(row);
  const raw = [...baseline];
  for (const [output, tree] of trees) raw[output] += tree(...x);
  return raw;
}

// Probabilities in the order of classes.
function predictProba(row) {
  const raw = decisionFunction(row);
  const most = Math.max(...raw);
  const powers = raw.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

function predict(row) {
  const raw = decisionFunction(row);
  return classes[raw.indexOf(Math.max(...raw))];
}

return { predict, decisionFunction, predictProba, classes };
})();
if (typeof module !== "undefined") module.exports = model;
