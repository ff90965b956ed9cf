"""
A first tree, beside CART
=========================

The default tree and a CART of the same depth on held-out rows: accuracy, AUC, log-loss,
and the tree itself.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from dpdtree import DPDTreeClassifier, export_text, plot_tree

data = load_breast_cancer(as_frame=True)
X, X_test, y, y_test = train_test_split(
    data.data, data.target, random_state=0, stratify=data.target
)

# %%
# Nothing is tuned in either of them.
for model in (DecisionTreeClassifier(max_depth=5, random_state=0), DPDTreeClassifier()):
    share = model.fit(X, y).predict_proba(X_test)[:, 1]
    print(
        f"{type(model).__name__:24} accuracy {model.score(X_test, y_test):.3f}"
        f"  AUC {roc_auc_score(y_test, share):.3f}"
        f"  log-loss {log_loss(y_test, share):.3f}"
        f"  leaves {model.get_n_leaves()}"
    )

# %%
# What it learnt, as text and as a picture.
print(export_text(model))
fig, ax = plt.subplots(figsize=(9, 5))
plot_tree(model, ax=ax)
plt.show()
