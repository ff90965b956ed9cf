/* A fitted model, written by dpdtree: C99, standard library only. */
#include <math.h>
#include <stdint.h>
#include <string.h>

const char *const risk_features[2] = {
  "age", "favourite color",
};

const char *const risk_classes[2] = {
  "no", "yes",
};

static const struct { int feature, place; const char *text; } risk_texts[3] = {
  {1, 0, "blue"}, {1, 1, "dark red"}, {1, 2, "it\047s"},
};

/* What x holds for a category: its place, NAN if it is unknown. */
double risk_category(int feature, const char *category) {
  int i;
  for (i = 0; i < (int)(sizeof risk_texts / sizeof *risk_texts); ++i)
    if (risk_texts[i].feature == feature &&
        strcmp(risk_texts[i].text, category) == 0)
      return risk_texts[i].place;
  return NAN;
}

static const uint32_t risk_sets[1] = {
  0x00000005u,
};

struct risk_node {
  double threshold;
  int32_t feature, left, right, set, size, missing_left;
};

static const struct risk_node risk_nodes[6] = {
  {40.5, 0, 1, 2, -1, 0, 1}, {0, 0, 0, 0, -1, 0, 0}, {0, 0, 0, 0, -1, 0, 0},
  {0.0, 1, 4, 5, 0, 3, 0}, {0, 0, 0, 0, -1, 0, 0}, {0, 0, 0, 0, -1, 0, 0},
};

static int risk_goes_left(const struct risk_node *node, double x) {
  if (node->set < 0)
    return node->missing_left ? !(x > node->threshold) : x <= node->threshold;
  if (!(x >= 0 && x < node->size)) return node->missing_left;
  return risk_sets[node->set + (int)x / 32] >> ((int)x % 32) & 1;
}

static int risk_leaf(const double *x, int node) {
  while (risk_nodes[node].left != 0)
    node = risk_goes_left(&risk_nodes[node], x[risk_nodes[node].feature])
               ? risk_nodes[node].left
               : risk_nodes[node].right;
  return node;
}

static const double risk_values[6] = {
  0.0, -0.25, 0.5, 0.0, 0.125, -1.5,
};

static const int risk_roots[2] = {
  0, 3,
};

static const int risk_outputs[2] = {
  0, 0,
};

static const double risk_baseline[1] = {
  0.25,
};

/* Raw scores, one per output. */
void risk_decision_function(const double *x, double *out) {
  int i;
  memcpy(out, risk_baseline, sizeof risk_baseline);
  for (i = 0; i < 2; ++i)
    out[risk_outputs[i]] += risk_values[risk_leaf(x, risk_roots[i])];
}

/* The place of the label in risk_classes. */
int risk_predict(const double *x) {
  double raw[1];
  risk_decision_function(x, raw);
  return raw[0] > 0;
}

/* Probabilities in the order of risk_classes. */
void risk_predict_proba(const double *x, double *out) {
  double raw[1], power;
  risk_decision_function(x, raw);
  power = exp(-fabs(raw[0]));
  out[1] = (raw[0] >= 0 ? 1.0 : power) / (1.0 + power);
  out[0] = 1.0 - out[1];
}
