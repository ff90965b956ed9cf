"""
Medical data with missing values
================================

299 horses with colic; every fifth measurement was not taken. Nothing is imputed: each
split sends missing values where they fit best, and the tree says where.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import cross_val_score

from dpdtree import DPDTreeClassifier, plot_tree

data = pd.read_csv("data/horse_colic.csv")
X = data.drop(columns="outcome")
y = data["outcome"].replace("euthanized", "died")
print(f"{X.isna().mean().mean():.0%} of the values are missing")

# %%
model = DPDTreeClassifier(max_depth=3).fit(X, y)
plot_tree(model)
plt.show()

# %%
# The leaves as a table with Wilson intervals, and the accuracy on rows held out.
print(model.leaf_table().to_string(index=False))
print(f"accuracy in ten folds: {cross_val_score(model, X, y, cv=10).mean():.3f}")
