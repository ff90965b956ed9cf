"""The method that writes the explorer of an estimator."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpdtree._operations import write_explorer

#: Splits of a state that the page knows, by its depth; one further down.
ALTERNATIVES = (6, 4, 3, 2)


class ExploreMixin:
    """Gives a tree estimator the method `explore`."""

    def explore(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_test: Any = None,
        y_test: Any = None,
        path: str | os.PathLike[str] = "explorer.html",
        k: Sequence[int] = ALTERNATIVES,
        max_rows: int = 2000,
        stability: int = 0,
        cv: int = 0,
        title: str | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> Path:
        """Write a page to explore the fitted tree and its alternatives.

        One HTML file that needs nothing else: the front of loss and leaves, the tree,
        other splits of each node with the best tree below them, thresholds and what
        rounder ones cost, the way of a row, a questionnaire, errors, rules, two trees
        side by side, and exports of the tree that is shown.

        Parameters
        ----------
        X, y, sample_weight
            The training data of the fit.
        X_test, y_test : array-like, default=None
            Other rows, which the page counts beside the training rows.
        path : str or path, default="explorer.html"
            Where to write.
        k : sequence of int, default=(6, 4, 3, 2)
            How many splits of a state the page knows, at depth 0, 1 and so on; beyond
            its end it is one.
        max_rows : int, default=2000
            So many training rows and so many test rows go into the file, evenly
            spaced, to be traced and compared; 0 keeps the data out of it. Everything
            that is counted is counted on all rows.
        stability : int, default=0
            So many trees are fitted on resampled rows, to say how often they use the
            same split.
        cv : int, default=0
            With 2 or more folds, their band is drawn into the front. A cross-validated
            estimator has one anyway.
        title : str, default=None
            Heading of the page; None names the estimator.
        feature_names : sequence of str, default=None
            Names of the features; None takes those of the fit.

        Returns
        -------
        pathlib.Path
            The file.
        """
        from dpdtree.explorer.explore import Options, explore
        from dpdtree.explorer.inputs import Given

        options = Options(path, k, max_rows, stability, cv, title, feature_names)
        given = Given(X, y, sample_weight, X_test, y_test)
        if X is None or y is None:
            raise ValueError("explore needs X and y, the training data of the fit.")
        return explore(self, None, given, options)


@write_explorer.register
def _write_explorer(
    estimator: ExploreMixin, trees: Any, given: Sequence[Any], options: Sequence[Any]
) -> Path:
    from dpdtree.explorer.explore import Options, explore
    from dpdtree.explorer.inputs import Given

    return explore(estimator, trees, Given(*given), Options(*options))
