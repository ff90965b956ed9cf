"""The methods by which fitted estimators are read and exported."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dpdtree.export.card import model_card
from dpdtree.export.explain import Explanation, explain
from dpdtree.export.leaf_table import leaf_table


class ReadingMixin:
    """Predictions explained, and the model described."""

    def explain(self, X: Any) -> list[Explanation]:
        """Return the contributions that add up to the prediction of each row.

        A tree gives one for each step of the row's path, boosted trees one for each
        feature, to the raw score. See `dpdtree.explain`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        list of Explanation
            One per row.
        """
        return explain(self, X)

    def model_card(self, X: Any = None, y: Any = None) -> str:
        """Return a description in Markdown: see `dpdtree.model_card`.

        Parameters
        ----------
        X, y : array-like, default=None
            Held-out rows to score the model on.

        Returns
        -------
        str
            Markdown.
        """
        return model_card(self, X, y)


class TreeExportMixin(ReadingMixin):
    """A single tree for other tools."""

    def leaf_table(self, X: Any = None, y: Any = None, **options: Any) -> Any:
        """Return a frame with a row per leaf: see `dpdtree.leaf_table`.

        Parameters
        ----------
        X, y : array-like, default=None
            Held-out rows to count in each leaf, too.
        **options : keyword arguments
            Those of `dpdtree.leaf_table`.

        Returns
        -------
        pandas.DataFrame
            A row per leaf.
        """
        return leaf_table(self, X, y, **options)

    def to_onnx(self, dtype: Any = np.float64) -> Any:
        """Return the tree as an `onnx.ModelProto`.

        Its input "X" has shape (n_samples, n_features_in_) and this dtype, float64 or
        float32. If there are categories that are strings, each feature is an input of
        its own instead, of shape (n_samples, 1), named as in `feature_names_in_` (else
        "feature_0", "feature_1", ...; a name that the graph needs itself gets "_"
        behind it). Strings go in as strings and numbers as numbers, also those that
        are categories. A category that the fit has not seen, the empty string for
        example, is treated like a missing one. The outputs are "label" and
        "probabilities", or "variable" for a regressor.

        Parameters
        ----------
        dtype : numpy.float64 or numpy.float32, default=numpy.float64
            Type of the input.

        Returns
        -------
        onnx.ModelProto
            The model.
        """
        check_is_fitted(self)
        from dpdtree.export.onnx_tree import tree_to_onnx

        return tree_to_onnx(self, dtype)

    def to_xgboost(self) -> Any:
        """Return the tree as an `xgboost.Booster` of one iteration.

        It predicts what the regressor predicts, or the probabilities of `predict_proba`
        (of the second class if there are two), up to the rounding of single precision.
        What `DPDTBoostingClassifier.to_xgboost` says of X and of categories holds here,
        too. Probabilities of 0 become the smallest positive number.

        Returns
        -------
        xgboost.Booster
            The model.
        """
        check_is_fitted(self)
        from dpdtree.export.xgboost import tree_to_xgboost

        return tree_to_xgboost(self)

    def to_sklearn(self, *, smoothed: bool = False) -> Any:
        """Return the tree as a genuine scikit-learn decision tree.

        A DecisionTreeClassifier or DecisionTreeRegressor, fitted, for everything that
        recognises these by their class: plot_tree, SHAP, skl2onnx. scikit-learn
        looks at X as float32, so the predictions are equal unless a value rounds to
        the same float32 as a threshold it is close to.

        Parameters
        ----------
        smoothed : bool, default=False
            False: the nodes hold the class shares of their training rows, so that
            counts are true ones, except leaves whose shrunk shares predict another
            class: these hold the shrunk ones. True: they hold the probabilities of
            `predict_proba`. Regression trees hold what they predict, shrunk.

        Returns
        -------
        DecisionTreeClassifier or DecisionTreeRegressor
            Fitted.
        """
        from dpdtree.export.sklearn import to_sklearn

        return to_sklearn(self, smoothed=smoothed)


class BoostingExportMixin(ReadingMixin):
    """Boosted trees for other tools."""

    def to_xgboost(self) -> Any:
        """Return the model as a genuine `xgboost.Booster`.

        Its predictions are those of the model up to the rounding of single precision:
        probabilities for a classifier, of the second class if there are two. XGBoost
        reads X as float32. No training value changes sides by that, but one that the
        fit has not seen may, if it is within rounding of a threshold. XGBoost refuses
        values beyond 3.4e38, which are infinite for it.

        The names of categories are in the model: give it a frame with categorical
        columns, as `DMatrix(X, enable_categorical=True)`. XGBoost looks them up and
        refuses those that the fit has not seen; `DMatrix(model.encode_categories(X))`
        takes any. Categories must be strings or whole numbers from 0 to 65535.

        Returns
        -------
        xgboost.Booster
            The model.
        """
        check_is_fitted(self)
        from dpdtree.export.xgboost import to_xgboost

        return to_xgboost(self)

    def to_onnx(self, dtype: Any = np.float64) -> Any:
        """Return the model as an `onnx.ModelProto`: inputs and outputs as of a tree.

        See `DPDTreeClassifier.to_onnx`.

        Parameters
        ----------
        dtype : numpy.float64 or numpy.float32, default=numpy.float64
            Type of the input.

        Returns
        -------
        onnx.ModelProto
            The model.
        """
        check_is_fitted(self)
        from dpdtree.export.onnx import to_onnx

        return to_onnx(self, dtype)
