"""`NotebookMixin`: what a fitted estimator looks like in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr


class NotebookMixin:
    """Shows a fitted estimator with its tree; an unfitted one as scikit-learn does.

    scikit-learn's `set_config(display="text")` turns it off, as it does for its own
    diagrams; an estimator inside a pipeline is drawn by the pipeline.
    """

    __sklearn_is_fitted__: Callable[[], bool]

    def _html_repr(self) -> str:
        if not self.__sklearn_is_fitted__():
            return str(estimator_html_repr(self))
        from dpdtree.plotting.notebook import fitted_html

        return fitted_html(self)

    def _repr_html_inner(self) -> str:
        return self._html_repr()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._html_repr()
        return bundle
