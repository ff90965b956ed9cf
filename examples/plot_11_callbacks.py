"""
Watch a fit, and stop it
========================

A proof reports its progress; a time limit ends it with a bound. Boosting goes on from
where it stopped.
"""

from sklearn.datasets import load_breast_cancer

from dpdtree import DPDTBoostingClassifier, DPDTreeClassifier

X, y = load_breast_cancer(return_X_y=True)

# %%
# Five levels cannot be proven in a second, but the bound says how far it came.
model = DPDTreeClassifier(
    strategy="optimal", max_depth=5, loss="zero_one", alpha=0.0, time_limit=1.0
).fit(X, y)
print(model.report_.stop_reason, f"errors {round(model.loss_ * len(y))}")

# %%
# A training loop of one's own: add trees to a boosted model until it is good enough.
boosted = DPDTBoostingClassifier(max_iter=1, warm_start=True, early_stopping=False)
for n in range(5, 30, 5):
    boosted.set_params(max_iter=n).fit(X, y)
    print(n, f"{boosted.score(X, y):.4f}")
