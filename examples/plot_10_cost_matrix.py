"""
Errors that cost differently
============================

Missing a malignant tumour costs ten times as much as a false alarm. The tree minimises
the cost, not the number of errors.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split

from dpdtree import DPDTreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
costs = [[0.0, 1.0], [10.0, 0.0]]  # rows: truth, columns: prediction; benign first

fig, axes = plt.subplots(1, 2, figsize=(9, 4))
losses = {
    "fewest errors": {"loss": "zero_one"},
    "least cost": {"loss": "cost_matrix", "cost_matrix": costs},
}
for ax, (name, arguments) in zip(axes, losses.items(), strict=True):
    model = DPDTreeClassifier(strategy="balanced", max_depth=3, **arguments).fit(X, y)
    ConfusionMatrixDisplay.from_estimator(model, X_test, y_test, ax=ax, colorbar=False)
    ax.set_title(name)
fig.tight_layout()
plt.show()
