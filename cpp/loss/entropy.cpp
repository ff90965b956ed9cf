#include "loss/entropy.hpp"

#include "loss/registry.hpp"

namespace dpdtree {
namespace {

double excess(double sum, double weight, double told) {
  return LogLoss::excess(sum, weight, told) / std::numbers::ln2;
}

}  // namespace

LossInfo entropy_info() {
  LossInfo info;
  info.task = Task::classification;
  info.mdl = MdlRule::half_row;
  info.proposes_splits = true;
  info.simple = Entropy::impurity_sum;
  info.impurity = over_outputs<Entropy::impurity_sum>;
  info.excess = excess;
  return info;
}

}  // namespace dpdtree
