"""
Credit scoring with monotone constraints
========================================

A score that must not fall when income rises, with missing values and categories left as
they are. The applicants are made here.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from dpdtree import DPDTreeClassifier, export_rules

rng = np.random.default_rng(0)
n = 3000
X = pd.DataFrame(
    {
        "income": rng.lognormal(3.4, 0.5, n).round(1),
        "debts": rng.poisson(1.2, n).astype(float),
        "employment": rng.choice(["none", "temporary", "permanent", "state"], n),
        "years at address": rng.exponential(6, n).round(),
    }
)
X.loc[rng.random(n) < 0.15, "debts"] = np.nan
risk = 1.2 - X["income"] / 20 + 0.5 * X["debts"].fillna(2)
risk += np.where(X["employment"].isin(["none", "temporary"]), 0.9, -0.3)
default = (risk + rng.logistic(0, 1, n) > 0.8).astype(int)
X_train, X_test, y_train, y_test = train_test_split(X, default, random_state=0)

# %%
# More income never raises the risk; more debts never lower it.
model = DPDTreeClassifier(
    categorical_features=["employment"],
    monotonic_cst={"income": -1, "debts": 1},
    max_depth=4,
).fit(X_train, y_train)
print(f"AUC {roc_auc_score(y_test, model.predict_proba(X_test)[:, 1]):.3f}")

# %%
# One sentence per leaf, for the file of the decision.
print(export_rules(model))

# %%
# Raising every income can only lower the predicted risk.
richer = X_test.assign(income=X_test["income"] + 10)
change = model.predict_proba(richer)[:, 1] - model.predict_proba(X_test)[:, 1]
print("largest rise:", change.max())
