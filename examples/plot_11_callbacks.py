"""
Watch a fit, and stop it
========================

Callbacks see what a fit has reached and may end it: a proof by its gap, boosting by
whatever you compute.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from dpdtree import DPDTBoostingClassifier, DPDTreeClassifier

X, y = load_breast_cancer(return_X_y=True)


# %%
# A callback of scikit-learn (1.9 and later) is told the best tree so far and the lower
# bound. This one ends the proof when at most four errors could still be saved.
class UntilNear:
    """Ends a proof when the gap is small."""

    def __init__(self):
        self.gaps = []

    def setup(self, estimator, context):
        """Nothing to prepare."""

    def teardown(self, estimator, context):
        """Nothing to put away."""

    def on_fit_task_begin(self, estimator, context, *, X, metadata):
        """Nothing to note."""

    def on_fit_task_end(self, estimator, context, *, metadata, fitted_estimator):
        """Note the bounds; return True to stop."""
        if context.task_name == "fit":
            return False
        gap = metadata["objective"] - metadata["lower_bound"]
        self.gaps.append(gap * len(y))
        return self.gaps[-1] <= 4


near = UntilNear()
model = DPDTreeClassifier(
    strategy="optimal", max_depth=3, loss="zero_one", alpha=0.0, time_limit=20
)
if hasattr(model, "set_callbacks"):
    model.set_callbacks(near)
model.fit(X, y)
print(model.report_.stop_reason, f"errors {model.loss_ * len(y):.0f}", end=", ")
print(f"at least {model.lower_bound_ * len(y):.0f} for any tree of that depth")

# %%
# Boosting calls a function after each iteration; one that returns True ends the fit.
losses = []


def watch(progress):
    """Stop as soon as an iteration gains less than a thousandth."""
    losses.append(-progress.train_score)
    return len(losses) > 1 and losses[-2] - losses[-1] < 1e-3


boosted = DPDTBoostingClassifier(max_iter=300).fit(X, y, callbacks=[watch])
print(boosted.stop_reason_, boosted.n_iter_, "iterations")
fig, ax = plt.subplots()
ax.plot(range(1, len(losses) + 1), losses, "o-")
ax.set(xlabel="iteration", ylabel="training log-loss")
plt.show()
