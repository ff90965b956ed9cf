"""The weighted votes of trees, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.extmath import softmax
from sklearn.utils.validation import check_is_fitted

from dpdtree._adaboost.rounds import Weights
from dpdtree._input.validation import check_X
from dpdtree._threads import n_threads


class VotingMixin:
    """Predictions of `estimators_`, which vote with `estimator_weights_`."""

    def decision_function(self, X: Any) -> Weights:
        """Return the weighted votes, between -1 and 1.

        Of shape (n_samples, n_classes); (n_samples,) with two classes, positive for
        the second one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        ndarray
            Of shape (n_samples,) or (n_samples, n_classes).
        """
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        votes = np.zeros((X.shape[0], self.n_classes_))
        if self.n_classes_ == 1:
            return votes
        for tree, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            votes += self._vote(tree, weight, X)
        return self._shaped(votes / self.estimator_weights_.sum())

    def staged_decision_function(self, X: Any) -> Iterator[Weights]:
        """Yield `decision_function` with the first tree, the first two and so on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Yields
        ------
        ndarray
            As `decision_function` returns.
        """
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        votes, total = np.zeros((X.shape[0], self.n_classes_)), 0.0
        for tree, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            votes += self._vote(tree, weight, X)
            total += weight
            yield self._shaped(votes / total)

    def _vote(self, tree: Any, weight: float, X: NDArray[Any]) -> Weights:
        n = self.n_classes_
        against = -1.0 / (n - 1) * weight if n > 1 else 0.0
        chosen = class_codes(tree, X)[:, np.newaxis] == np.arange(n)
        return np.where(chosen, weight, against)

    def _shaped(self, votes: Weights) -> Weights:
        if self.n_classes_ != 2:
            return votes
        difference: Weights = votes[:, 1] - votes[:, 0]
        return difference

    def _labels(self, decision: Weights) -> NDArray[Any]:
        two = self.n_classes_ == 2
        codes = decision > 0 if two else decision.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes.astype(np.intp)]
        return labels

    def _probabilities(self, decision: Weights) -> Weights:
        if self.n_classes_ == 1:
            return np.ones_like(decision)
        if self.n_classes_ == 2:
            decision = np.column_stack([-decision, decision]) / 2
        else:
            decision = decision / (self.n_classes_ - 1)
        return np.asarray(softmax(decision, copy=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label with the most votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        return self._labels(self.decision_function(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield `predict` with the first tree, the first two and so on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Yields
        ------
        ndarray of shape (n_samples,)
            Labels.
        """
        return map(self._labels, self.staged_decision_function(X))

    def predict_proba(self, X: Any) -> Weights:
        """Return probabilities in the order of classes_: the softmax of the votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        return self._probabilities(self.decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Weights]:
        """Yield `predict_proba` with the first tree, the first two and so on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        return map(self._probabilities, self.staged_decision_function(X))

    def predict_log_proba(self, X: Any) -> Weights:
        """Return the logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of probabilities.
        """
        return np.log(self.predict_proba(X))

    def staged_score(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Iterator[float]:
        """Yield the accuracy with the first tree, the first two and so on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.
        y : array-like of shape (n_samples,)
            True labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; None weighs each row 1.

        Yields
        ------
        float
            The accuracy.
        """
        for labels in self.staged_predict(X):
            yield float(accuracy_score(y, labels, sample_weight=sample_weight))

    estimators_: list[Any]
    estimator_weights_: Weights
    classes_: NDArray[Any]
    n_classes_: int


def class_codes(tree: Any, X: NDArray[Any]) -> NDArray[np.intp]:
    """Return the class code a tree predicts for each row of a checked X."""
    of_nodes = tree.tree_.node_values.argmax(axis=1)
    codes: NDArray[np.intp] = tree.tree_.look_up(X, of_nodes, n_threads(tree.n_jobs))
    return codes
