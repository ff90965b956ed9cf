"""The estimators: those of one machine, fitted on Dask collections."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from dpdtree.boosting import DPDTBoostingClassifier, DPDTBoostingRegressor
from dpdtree.dask._boosting_fit import fit_boosting_blocks
from dpdtree.dask._collections import client_of, is_collection, lazily, partitions
from dpdtree.dask._engine import DaskEngine
from dpdtree.dask._fit import Fitted
from dpdtree.dask._report import DaskReport
from dpdtree.dask._tree_fit import fit_tree_blocks
from dpdtree.tree import DPDTreeClassifier, DPDTreeRegressor

Self = TypeVar("Self", bound="_OnDask")


class _OnDask(BaseEstimator):
    """Fit, predictions and attributes by way of an estimator of one machine."""

    _local: ClassVar[type[Any]]
    client: Any
    search: str

    def _fit_blocks(
        self, engine: Any, blocks: Any, more: Any, estimator: Any
    ) -> Fitted:
        """Fit the estimator; the lists of blocks are emptied on the way."""
        raise NotImplementedError

    def _ordinary(self) -> Any:
        parameters = self.get_params(deep=False)
        del parameters["client"], parameters["search"]
        return self._local(**parameters)

    def _fit(
        self: Self, training: tuple[Any, ...], validation: tuple[Any, ...] | None
    ) -> Self:
        self.__dict__.pop("_fitted", None)
        self.__dict__.pop("report_", None)
        client = client_of(self.client)
        engine = DaskEngine(client)
        try:
            self._search(client, engine, training, validation)
        except BaseException:  # Ctrl-C, too
            engine.cancel()
            raise
        return self

    def _search(
        self,
        client: Any,
        engine: Any,
        training: tuple[Any, ...],
        validation: tuple[Any, ...] | None,
    ) -> None:
        blocks = partitions(client, engine, *training)
        more = None
        if validation is not None:
            more = partitions(client, engine, *validation)
        n_blocks = len(blocks) + len(more or ())
        fitted = self._fit_blocks(engine, blocks, more, self._ordinary())
        self._keep(fitted, engine, n_blocks)

    def _keep(self, fitted: Fitted, engine: Any, n_blocks: int) -> None:
        self.report_ = DaskReport(
            engine.rounds,
            n_blocks,
            engine.n_bytes,
            fitted.code_bytes,
            fitted.search_rounds,
            fitted.search_bytes,
            engine.lost_workers,
            vars(fitted.estimator).get("report_"),
        )
        self._fitted = fitted.estimator

    def to_local(self) -> Any:
        """Return the ordinary estimator, fitted; it needs neither client nor Dask."""
        check_is_fitted(self)
        return self._fitted

    def __getattr__(self, name: str) -> Any:
        # Only what is not found otherwise: attributes of the fit.
        fitted = vars(self).get("_fitted")
        if fitted is None or not name.endswith("_") or name.startswith("_"):
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}"
            )
        return getattr(fitted, name)

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}

    def _predicted(self, X: Any, method: str, n_columns: int | None = None) -> Any:
        model = self.to_local()
        if not is_collection(X):
            return getattr(model, method)(X)
        labels = method == "predict" and hasattr(model, "classes_")
        dtype = model.classes_.dtype if labels else np.dtype(np.float64)
        return lazily(model, method, X, dtype, n_columns)

    def predict(self, X: Any) -> Any:
        """Return predictions, lazily if X is a Dask collection.

        Parameters
        ----------
        X : dask DataFrame or Array, or what the ordinary estimator takes
            Rows like those of the fit.

        Returns
        -------
        dask Array, or ndarray
            A prediction for each row.
        """
        n_outputs = getattr(self.to_local(), "n_outputs_", 1)
        return self._predicted(X, "predict", n_outputs if n_outputs > 1 else None)


class _Classifies(ClassifierMixin):
    def predict_proba(self: Any, X: Any) -> Any:
        """Return probabilities in the order of classes_, lazily for a collection.

        Parameters
        ----------
        X : dask DataFrame or Array, or what the ordinary estimator takes
            Rows like those of the fit.

        Returns
        -------
        dask Array, or ndarray
            A column per class.
        """
        return self._predicted(X, "predict_proba", len(self.classes_))


class _Tree(_OnDask):
    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the tree that one machine would fit.

        Parameters
        ----------
        X : dask DataFrame or Array
            The features; `max_bins` has to be set.
        y : dask Series or Array
            Labels or targets, partitioned like X.
        sample_weight : dask Series or Array, default=None
            Weights, partitioned like X.

        Returns
        -------
        self
        """
        return self._fit((X, y, sample_weight), None)

    def _fit_blocks(
        self, engine: Any, blocks: Any, more: Any, estimator: Any
    ) -> Fitted:
        return fit_tree_blocks(engine, blocks, estimator, self.search)


class _Boosting(_OnDask):
    def fit(
        self: Self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Fit the model that one machine would fit.

        Parameters
        ----------
        X : dask DataFrame or Array
            The features.
        y : dask Series or Array
            Labels or targets, partitioned like X.
        sample_weight : dask Series or Array, default=None
            Weights, partitioned like X.
        X_val, y_val, sample_weight_val : dask collections, default=None
            Rows for early stopping; else a part of X is set aside for it.

        Returns
        -------
        self
        """
        if (X_val is None) != (y_val is None):
            raise ValueError("X_val and y_val must be given together.")
        more = None if X_val is None else (X_val, y_val, sample_weight_val)
        return self._fit((X, y, sample_weight), more)

    def _fit_blocks(
        self, engine: Any, blocks: Any, more: Any, estimator: Any
    ) -> Fitted:
        return fit_boosting_blocks(engine, blocks, more, estimator, self.search)


def _with_client(cls: type[Any]) -> type[Any]:
    """Give a class the parameters of the ordinary estimator, and `client`."""
    known = inspect.signature(cls._local.__init__)
    own = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in (("client", None), ("search", "auto"))
    ]
    parameters = [*known.parameters.values(), *own]
    names = [p.name for p in parameters if p.name != "self"]

    def init(self: Any, **given: Any) -> None:
        unknown = [name for name in given if name not in names]
        if unknown:
            raise TypeError(f"{cls.__name__} has no parameter {unknown[0]!r}.")
        for parameter in parameters[1:]:
            setattr(self, parameter.name, given.get(parameter.name, parameter.default))

    init.__signature__ = known.replace(parameters=parameters)  # type: ignore[attr-defined]
    cls.__init__ = init
    cls.__doc__ = f"""`{cls._local.__name__}` on a Dask cluster.

    The model is, to the last bit, the one of a fit on one machine, whatever the number
    of workers and partitions, and also if workers are lost in between. Parameters and
    attributes are those of `{cls._local.__name__}`, and these:

    Parameters
    ----------
    client : distributed.Client, default=None
        The cluster; None takes the current client. It is not pickled.
    search : {{"auto", "one_worker", "distributed"}}, default="auto"
        Where the model is searched; it is the same in either place. `"one_worker"`
        brings the codes of all rows, a byte per value, to one worker: faster, if they
        fit there. `"distributed"` leaves them where they are: partitions answer with
        sums over their rows, and no worker needs them all. `"auto"` takes one worker
        where its search needs at most half of the smallest worker's memory limit (3
        bytes per value and 96 per row), or where the search needs the rows themselves:
        strategy `"balanced"` where it ends with exact searches, `max_features`,
        forced splits, weights that count copies together with `strategy="auto"`, a
        loss of one's own.

    Attributes
    ----------
    report_ : DaskReport
        Rounds, bytes and lost workers of the fit.
    """
    return cls


@_with_client
class DaskDPDTreeClassifier(_Classifies, _Tree):
    _local = DPDTreeClassifier


@_with_client
class DaskDPDTreeRegressor(RegressorMixin, _Tree):
    _local = DPDTreeRegressor


@_with_client
class DaskDPDTBoostingClassifier(_Classifies, _Boosting):
    _local = DPDTBoostingClassifier


@_with_client
class DaskDPDTBoostingRegressor(RegressorMixin, _Boosting):
    _local = DPDTBoostingRegressor
