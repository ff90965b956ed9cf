"""
Decision boundaries
===================

On a checkerboard no first split helps by itself. A greedy tree picks one at random; a
tree that looks ahead finds the board.
"""

import matplotlib.pyplot as plt
import numpy as np

from dpdtree import DPDTreeClassifier, plot_boundary

X = np.random.default_rng(0).uniform(0, 1, (1000, 2))
y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)).astype(int)

fig, axes = plt.subplots(1, 2, figsize=(8, 4))
for ax, strategy in zip(axes, ("greedy", "paper"), strict=True):
    model = DPDTreeClassifier(
        strategy=strategy, max_depth=2, loss="zero_one", alpha=0.0
    ).fit(X, y)
    plot_boundary(model, X, y, ax=ax)
    ax.set_title(f"{strategy}: {model.score(X, y):.0%}")
plt.show()
