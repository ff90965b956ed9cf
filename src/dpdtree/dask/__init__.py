"""Fits on Dask clusters: the same models, from any number of workers.

Workers bin their partitions to one byte per value. The client searches on what all
partitions say of nodes; or one worker does, on the bytes of all. Every step is a pure
function with a recipe, so that the loss of a worker costs time and nothing else.
"""

from dpdtree.dask._estimators import (
    DaskDPDTBoostingClassifier,
    DaskDPDTBoostingRegressor,
    DaskDPDTreeClassifier,
    DaskDPDTreeRegressor,
)
from dpdtree.dask._report import DaskReport

__all__ = [
    "DaskDPDTBoostingClassifier",
    "DaskDPDTBoostingRegressor",
    "DaskDPDTreeClassifier",
    "DaskDPDTreeRegressor",
    "DaskReport",
]
