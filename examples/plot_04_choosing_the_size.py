"""
Every size in one fit
=====================

One search gives the best tree for each number of leaves; held-out rows choose.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from dpdtree import DPDTreeClassifier, DPDTreeClassifierCV

X, y = load_wine(return_X_y=True, as_frame=True)
X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)

path = DPDTreeClassifier(loss="zero_one").leaf_path(X, y)
for model in path:
    print(
        f"{model.get_n_leaves():2} leaves: training error {model.loss_:.3f},"
        f" test accuracy {model.score(X_test, y_test):.3f}"
    )

# %%
# Cross-validation chooses among them.
chosen = DPDTreeClassifierCV().fit(X, y)
print(f"chosen: {chosen.n_leaves_}, test accuracy {chosen.score(X_test, y_test):.3f}")

fig, ax = plt.subplots()
ax.plot([m.get_n_leaves() for m in path], [m.score(X_test, y_test) for m in path], "o-")
ax.set(xlabel="leaves", ylabel="test accuracy")
plt.show()
