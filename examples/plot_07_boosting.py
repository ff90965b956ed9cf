"""
Boosting with early stopping
============================

Settings follow from the number of rows; a validation part says when to stop.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from dpdtree import DPDTBoostingClassifier

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
model = DPDTBoostingClassifier(
    max_iter=60, early_stopping=True, n_iter_no_change=10, random_state=0
).fit(X, y)
print(f"{model.n_iter_} iterations, test accuracy {model.score(X_test, y_test):.3f}")

fig, ax = plt.subplots()
ax.plot(model.train_score_, label="training")
ax.plot(model.validation_score_, label="validation")
ax.set(xlabel="iteration", ylabel="score")
ax.legend()
plt.show()
