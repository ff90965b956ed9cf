"""Decision trees that look ahead."""

from importlib.metadata import version

from dpdtree._alternatives.table import Alternative
from dpdtree._blocks.sources import RowBlocks
from dpdtree._boosting.loop import BoostingProgress
from dpdtree._core import ModelFormatError
from dpdtree._stability.comparison import NodeStability
from dpdtree.adaboost import DPDTAdaBoostClassifier
from dpdtree.alternatives import Alternatives
from dpdtree.boosting import DPDTBoostingClassifier, DPDTBoostingRegressor
from dpdtree.cv import DPDTreeClassifierCV, DPDTreeRegressorCV
from dpdtree.export.c import export_c
from dpdtree.export.card import model_card
from dpdtree.export.excel import export_excel
from dpdtree.export.explain import Explanation, explain
from dpdtree.export.graphviz import export_graphviz
from dpdtree.export.javascript import export_javascript
from dpdtree.export.leaf_table import leaf_table
from dpdtree.export.python import export_python
from dpdtree.export.rules import export_rules
from dpdtree.export.sql import export_sql
from dpdtree.export.text import export_text
from dpdtree.io.files import load_model, save_model
from dpdtree.path import RegularizationPath
from dpdtree.plotting.boundary import BoundaryDisplay, plot_boundary
from dpdtree.plotting.learning_curve import (
    LearningCurveDisplay,
    plot_learning_curve,
)
from dpdtree.plotting.path import PathDisplay, plot_path
from dpdtree.plotting.tree import TreeDisplay, plot_tree
from dpdtree.report import FitReport
from dpdtree.stability import StabilityReport, stability_report
from dpdtree.tree import DPDTreeClassifier, DPDTreeRegressor

__version__ = version("dpdtree")
ModelFormatError.__module__ = "dpdtree"

__all__ = [
    "Alternative",
    "Alternatives",
    "BoostingProgress",
    "BoundaryDisplay",
    "DPDTAdaBoostClassifier",
    "DPDTBoostingClassifier",
    "DPDTBoostingRegressor",
    "DPDTreeClassifier",
    "DPDTreeClassifierCV",
    "DPDTreeRegressor",
    "DPDTreeRegressorCV",
    "Explanation",
    "FitReport",
    "LearningCurveDisplay",
    "ModelFormatError",
    "NodeStability",
    "PathDisplay",
    "RegularizationPath",
    "RowBlocks",
    "StabilityReport",
    "TreeDisplay",
    "__version__",
    "explain",
    "export_c",
    "export_excel",
    "export_graphviz",
    "export_javascript",
    "export_python",
    "export_rules",
    "export_sql",
    "export_text",
    "leaf_table",
    "load_model",
    "model_card",
    "plot_boundary",
    "plot_learning_curve",
    "plot_path",
    "plot_tree",
    "save_model",
    "stability_report",
]
