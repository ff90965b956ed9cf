"""
Boosting with a loss of your own
================================

A loss is a function of the targets and the raw predictions that returns gradient and
hessian. Here it costs three times as much to predict too little as to predict too much.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from dpdtree import DPDTBoostingRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)
X, X_test, y, y_test = train_test_split(X, y, random_state=0)


def lopsided(y, raw):
    """Squared errors; those of predictions that are too low count three times."""
    weight = np.where(raw < y, 3.0, 1.0)
    return weight * (raw - y), weight


fig, ax = plt.subplots()
bins = np.linspace(-200, 200, 33)
for name, loss in {"squared error": "squared_error", "lopsided": lopsided}.items():
    model = DPDTBoostingRegressor(loss=loss, max_iter=60, learning_rate=0.05).fit(X, y)
    errors = model.predict(X_test) - y_test
    print(f"{name}: {(errors < 0).mean():.0%} of the predictions are too low")
    ax.hist(errors, bins, histtype="step", label=name, linewidth=2)
ax.axvline(0.0, color="grey", linewidth=1)
ax.set(xlabel="prediction minus truth", ylabel="test rows")
ax.legend()
plt.show()
