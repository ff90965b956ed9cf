"""
Other splits that would do nearly as well
=========================================

The search knows the value of every candidate split with the best tree below it. A
domain expert may prefer the second best.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from dpdtree import DPDTreeClassifier, export_text

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
search = DPDTreeClassifier(strategy="balanced", max_depth=3, alpha=0.0)
found = search.alternatives(X, y)
for row in found.table()[:5]:
    print(f"{row.loss * len(y):3.0f} errors, {row.n_leaves} leaves: {row.split}")

# %%
# States and actions as the paper draws them.
found.plot()
plt.show()

# %%
# The best tree that begins with another split, without another search...
second = found.tree({(): 1})
print(export_text(second))

# %%
# ... and with a threshold of one's own, which is a new one.
given = {"feature": "worst area", "threshold": 900.0}
forced = DPDTreeClassifier(
    strategy="balanced", max_depth=3, alpha=0.0, forced_splits=given
).fit(X, y)
best = found.tree({})
for name, tree in {"free": best, "second": second, "forced": forced}.items():
    print(f"{name}: {tree.loss_ * len(y):.0f} errors")
