"""Decision trees that look ahead."""

from importlib.metadata import version

from dpdtree.adaboost import DPDTAdaBoostClassifier
from dpdtree.export.text import export_text
from dpdtree.report import FitReport
from dpdtree.tree import DPDTreeClassifier, DPDTreeRegressor

__version__ = version("dpdtree")

__all__ = [
    "DPDTAdaBoostClassifier",
    "DPDTreeClassifier",
    "DPDTreeRegressor",
    "FitReport",
    "__version__",
    "export_text",
]
