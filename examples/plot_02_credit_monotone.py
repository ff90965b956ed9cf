"""
Credit scoring with monotone constraints
========================================

A risk that must not rise with income nor fall with debts, with missing values and
categories left as they are. The applicants are made up.
"""

import matplotlib.pyplot as plt
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
default = np.where(risk + rng.logistic(0, 1, n) > 0.8, "default", "repaid")
X_train, X_test, y_train, y_test = train_test_split(X, default, random_state=0)

# %%
# More income never raises the risk, more debts never lower it. With two classes the
# constraint is on the probability of the second one, here "repaid".
signs = {"income": 1, "debts": -1}
model = DPDTreeClassifier(monotonic_cst=signs, max_depth=4).fit(X_train, y_train)
print(f"AUC {roc_auc_score(y_test, model.predict_proba(X_test)[:, 1]):.3f}")

# %%
# One sentence per leaf, for the file of the decision.
print(export_rules(model))

# %%
# The risk of one applicant at other incomes: without the constraint it may go up.
free = DPDTreeClassifier(max_depth=4).fit(X_train, y_train)
incomes = np.linspace(5, 90, 400)
applicant = pd.DataFrame([X_test.iloc[3]] * len(incomes)).assign(income=incomes)
fig, ax = plt.subplots()
for name, tree in {"free": free, "monotone": model}.items():
    ax.plot(incomes, tree.predict_proba(applicant)[:, 0], label=name)
ax.set(xlabel="income", ylabel="probability of default")
ax.legend()
plt.show()
