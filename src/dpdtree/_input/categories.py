"""Categories as the numbers that exported models take."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dpdtree._category_codes import codes_of
from dpdtree._input.validation import check_X


class EncodesCategories:
    """Gives an estimator the method `encode_categories`."""

    def encode_categories(self, X: Any) -> Any:
        """Return X with numbers in place of categories, for exported models.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            What `predict` takes.

        Returns
        -------
        ndarray, or a pandas frame if X is one
            float64 throughout. A category that is a string becomes its place in
            `categories_`; one that is a number stays as it is. What the fit has not
            seen, and missing values, become NaN: `predict` treats them alike.
        """
        check_is_fitted(self)
        encoded = np.asarray(check_X(self, X, reset=False), dtype=np.float64)
        for j, known in enumerate(getattr(self, "categories_", ())):
            if known is not None:
                # NaN ends the codes: it is what an unknown place, -1, stands for.
                codes = np.append(codes_of(known), np.nan)
                places = np.where(np.isnan(encoded[:, j]), -1, encoded[:, j])
                encoded[:, j] = codes[places.astype(np.intp)]
        if type(X).__module__.partition(".")[0] == "pandas":
            return type(X)(encoded, index=X.index, columns=X.columns)
        return encoded
