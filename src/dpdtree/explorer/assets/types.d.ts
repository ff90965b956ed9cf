// What Python puts into the page, and what the scripts hand each other. For the type
// checker alone: it is no part of the page.

interface Feature {
  name: string;
  missing: boolean;
  /** Names of the categories; absent if the feature is a number. */
  categories?: string[];
  plain?: (string | number | boolean)[];
  whole?: boolean;
  quantiles?: (number | null)[];
}

interface States {
  depth: number[];
  best: number[];
  n: number[];
  weight: number[];
  loss: number[];
  classes?: number[];
  decision?: number[];
  mean?: (number | null)[];
  sd?: (number | null)[];
  value?: number[];
  impurity?: number[];
}

interface Tested {
  n: number[];
  loss: (number | null)[];
  classes?: number[];
  mean?: (number | null)[];
  sd?: (number | null)[];
}

interface Actions {
  state: number[];
  feature: number[];
  threshold: (number | null)[];
  missing_left: number[];
  categories: Record<string, number[]>;
  left: number[];
  right: number[];
  kind: number[];
  loss: number[];
  leaves: number[];
  complexity: (number | null)[];
  feature_cost: (number | null)[];
}

interface Point {
  leaves: number;
  loss: number;
  test: number | null;
  alpha?: number | null;
  tree: number[];
}

interface Band {
  leaves: number[];
  loss: number[];
  error: number[];
  folds: number;
}

interface Offer {
  t: number;
  loss: number;
  rows: number;
  action: number;
}

interface Curve {
  t: number[];
  loss: number[];
  rounder: Offer[];
}

interface RowSet {
  total: number;
  number: number[];
  columns: Record<string, (number | null)[]>;
  y?: number[];
}

interface About {
  title: string;
  estimator: string;
  strategy: string;
  loss: string;
  loss_label: string;
  criterion: string;
  alpha: number | string;
  complexity: string;
  classes: string[] | null;
  plain_classes: (string | number | boolean)[] | null;
  costs: number[][] | null;
  quantile: number;
  smoothing: { kind: string; strength: number } | null;
  shrinkage: number;
  named: boolean;
}

interface Data {
  about: About;
  features: Feature[];
  states: States;
  tested?: Tested;
  actions: Actions;
  chosen: number[];
  front: Point[];
  cart: Point | null;
  band: Band | null;
  curves: Record<string, Curve>;
  stability?: { fits: number; places: Record<string, [number, number, number[]][]> };
  rows: { train?: RowSet; test?: RowSet };
  student?: { n: number[]; t: number[] };
  model: Record<string, any> | null;
  z: number;
  level: number;
}

/** A tree is made of these; they are never changed, so that trees share parts. */
interface TreeNode {
  state: number;
  action: number;
  left: TreeNode | null;
  right: TreeNode | null;
}

/** A node of the tree that is shown, with everything that is said of it. */
interface Spot {
  path: string;
  node: TreeNode;
  parent: Spot | null;
  left: Spot | null;
  right: Spot | null;
  depth: number;
  /** Probabilities, or the predicted number alone. */
  values: number[];
  /** The class that is predicted; -1 for numbers. */
  decision: number;
}

interface Shown {
  root: Spot;
  spots: Spot[];
  leaves: Spot[];
  byPath: Map<string, Spot>;
}

type SetName = "train" | "test";

interface Counted {
  n: number;
  weight: number;
  classes: number[];
  mean: number;
  sd: number;
}

interface Filter {
  support: number;
  certainty: number;
  prediction: string;
  least: number | null;
  most: number | null;
}

/** A value of a feature: a number, the place of a category, or null for missing. */
type Value = number | null;
type Row = Record<number, Value>;

/** What is known of a feature in the questionnaire. */
interface Answer {
  feature: number;
  kind: "number" | "category" | "missing" | "unknown";
  value: number;
  text: string;
}

interface Condition {
  feature: number;
  low: number;
  high: number;
  categories: number[] | null;
  missing: boolean;
}
