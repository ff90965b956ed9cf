"""
Proving that no tree is better
==============================

A tree of depth 3 with the fewest possible errors, and how the bounds close in on it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from dpdtree import DPDTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
model = DPDTreeClassifier(
    strategy="optimal", max_depth=3, loss="zero_one", alpha=0.0, time_limit=60
).fit(X, y)
print(f"errors: {round(model.loss_ * len(y))}, proven: {model.is_optimal_}")
print(model.report_)

# %%
# The best tree so far and the lower bound over time.
seconds, objective, bound = zip(*model.report_.trace, strict=True)
fig, ax = plt.subplots()
ax.step(seconds, [o * len(y) for o in objective], where="post", label="best tree")
ax.step(seconds, [b * len(y) for b in bound], where="post", label="lower bound")
ax.set(xlabel="seconds", ylabel="errors")
ax.legend()
plt.show()
