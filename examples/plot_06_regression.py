"""
Regression: the mean, the median, a quantile
============================================

The same tree search with three losses.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from dpdtree import DPDTreeRegressor, plot_tree

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X, X_test, y, y_test = train_test_split(X, y, random_state=0)

for arguments in (
    {},
    {"loss": "absolute_error", "max_depth": 3},
    {"loss": "quantile", "quantile": 0.9, "max_depth": 3},
):
    model = DPDTreeRegressor(**arguments).fit(X, y)
    below = (y_test <= model.predict(X_test)).mean()
    print(f"{arguments or 'default'}: R² {model.score(X_test, y_test):.2f},", end=" ")
    print(f"{below:.0%} of the test rows lie below")

# %%
# The tree of the medians.
medians = DPDTreeRegressor(loss="absolute_error", max_depth=3).fit(X, y)
plot_tree(medians)
plt.show()
