// Parts of the boosting bindings that several files need.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "arrays.hpp"
#include "tree/forest_predictor.hpp"

namespace dpdtree::python {

// A forest and what predicts with it, which takes longer to make than a prediction of
// a few rows: made when it is first needed, then kept.
class Model {
 public:
  explicit Model(Forest forest) : parts_(std::make_shared<Parts>(std::move(forest))) {}

  const Forest& forest() const { return parts_->forest; }
  const ForestPredictor& predictor() const {
    std::call_once(parts_->made, [this] { parts_->predictor.emplace(forest()); });
    return *parts_->predictor;
  }

 private:
  struct Parts {
    explicit Parts(Forest&& f) : forest(std::move(f)) {}
    Forest forest;
    std::once_flag made;
    std::optional<ForestPredictor> predictor;
  };
  std::shared_ptr<Parts> parts_;
};

void register_boosting_model(nb::module_& m);

}  // namespace dpdtree::python
