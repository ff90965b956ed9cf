// One function per topic; module.cpp is their table of contents.
#pragma once

#include <nanobind/nanobind.h>

namespace dpdtree::python {

void register_losses(nanobind::module_& m);
void register_params(nanobind::module_& m);
void register_tree(nanobind::module_& m);
void register_fit(nanobind::module_& m);
void register_alternatives(nanobind::module_& m);
void register_blocks(nanobind::module_& m);
void register_boosting(nanobind::module_& m);
void register_remote_boosting(nanobind::module_& m);
void register_remote_tree(nanobind::module_& m);
void register_boosting_stages(nanobind::module_& m);
void register_stages(nanobind::module_& m);
void register_search_stages(nanobind::module_& m);
void register_tuning_stages(nanobind::module_& m);

}  // namespace dpdtree::python
