"""
Medical data with missing values
================================

Measurements that were not taken are information, too. Nothing is imputed: each split
sends missing values where they fit best, and the text says where.
"""

import numpy as np
from sklearn.datasets import load_diabetes

from dpdtree import DPDTreeClassifier, export_text

data = load_diabetes(as_frame=True, scaled=False)
X = data.data.copy()
progressed = (data.target > data.target.median()).astype(int)

# %%
# Blood values of the healthier patients were often not taken.
rng = np.random.default_rng(0)
skipped = rng.random(len(X)) < np.where(progressed == 0, 0.5, 0.1)
X.loc[skipped, ["s3", "s5"]] = np.nan

model = DPDTreeClassifier(max_depth=3).fit(X, progressed)
print(export_text(model, class_names=["stable", "progressed"]))

# %%
# The leaves as a table with Wilson intervals.
print(model.leaf_table().to_string(index=False))
