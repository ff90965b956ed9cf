"""
What else would do nearly as well?
==================================

The search knows the value of every candidate split with its best completion. A domain
expert may prefer the second best.
"""

from sklearn.datasets import load_breast_cancer

from dpdtree import DPDTreeClassifier, export_text

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target
model = DPDTreeClassifier(strategy="paper", max_depth=3, loss="zero_one", alpha=0.0)
model.fit(X, y)
alternatives = model.alternatives(X, y)
for one in alternatives.table()[:5]:
    print(one)

# %%
# The best tree that begins with another feature.
forced = DPDTreeClassifier(
    strategy="paper",
    max_depth=3,
    loss="zero_one",
    alpha=0.0,
    forced_splits={"feature": "worst area", "threshold": 868.0},
).fit(X, y)
print(f"free {model.loss_:.4f}, forced {forced.loss_:.4f}")
print(export_text(forced))
