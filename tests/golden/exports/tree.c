/* A fitted model, written by dpdtree: C99, standard library only. */
#include <math.h>
#include <stdint.h>
#include <string.h>

const char *const model_features[2] = {
  "age", "favourite color",
};

const char *const model_classes[2] = {
  "no", "yes",
};

static const struct { int feature, place; const char *text; } model_texts[3] = {
  {1, 0, "blue"}, {1, 1, "dark red"}, {1, 2, "it\047s"},
};

/* What x holds for a category: its place, NAN if it is unknown. */
double model_category(int feature, const char *category) {
  int i;
  for (i = 0; i < (int)(sizeof model_texts / sizeof *model_texts); ++i)
    if (model_texts[i].feature == feature &&
        strcmp(model_texts[i].text, category) == 0)
      return model_texts[i].place;
  return NAN;
}

static const uint32_t model_sets[1] = {
  0x00000005u,
};

struct model_node {
  double threshold;
  int32_t feature, left, right, set, size, missing_left;
};

static const struct model_node model_nodes[5] = {
  {40.5, 0, 1, 4, -1, 0, 1}, {0.0, 1, 2, 3, 0, 3, 0}, {0, 0, 0, 0, -1, 0, 0},
  {0, 0, 0, 0, -1, 0, 0}, {0, 0, 0, 0, -1, 0, 0},
};

static int model_goes_left(const struct model_node *node, double x) {
  if (node->set < 0)
    return node->missing_left ? !(x > node->threshold) : x <= node->threshold;
  if (!(x >= 0 && x < node->size)) return node->missing_left;
  return model_sets[node->set + (int)x / 32] >> ((int)x % 32) & 1;
}

static int model_leaf(const double *x, int node) {
  while (model_nodes[node].left != 0)
    node = model_goes_left(&model_nodes[node], x[model_nodes[node].feature])
               ? model_nodes[node].left
               : model_nodes[node].right;
  return node;
}

static const double model_values[5][2] = {
  {0.45, 0.55}, {0.25, 0.75}, {1.0, 0.0}, {0.125, 0.875}, {0.75, 0.25},
};

static const int model_labels[5] = {
  1, 1, 0, 1, 0,
};

/* The place of the label in model_classes. */
int model_predict(const double *x) { return model_labels[model_leaf(x, 0)]; }

/* Probabilities in the order of model_classes. */
void model_predict_proba(const double *x, double *out) {
  memcpy(out, model_values[model_leaf(x, 0)], sizeof model_values[0]);
}
