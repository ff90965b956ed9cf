"""
More rows than memory, and a cluster
====================================

Blocks of rows that are read from files one at a time, or partitions on the workers of a
Dask cluster: the model is that of one table in memory, to the last bit.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_digits

from dpdtree import DPDTBoostingClassifier, RowBlocks, plot_learning_curve

digits = load_digits(as_frame=True)
X, y = digits.data, digits.target
memory = DPDTBoostingClassifier(max_iter=20).fit(X, y)

# %%
# The same rows in five Parquet files, which are never in memory together.
folder = Path(tempfile.mkdtemp())
for i in range(5):
    part = slice(i * len(X) // 5, (i + 1) * len(X) // 5)
    pd.concat([X[part], y[part]], axis=1).to_parquet(folder / f"part-{i}.parquet")
blocks = RowBlocks.from_parquet(str(folder / "*.parquet"), target="target")
streamed = DPDTBoostingClassifier(max_iter=20).fit(blocks)
same = (streamed.predict_proba(X) == memory.predict_proba(X)).all()
print("from files, the same probabilities:", bool(same))

# %%
# On a cluster; here its workers are threads of this process.
import dask.dataframe as dd
from distributed import Client

from dpdtree.dask import DaskDPDTBoostingClassifier

with Client(processes=False, n_workers=2, dashboard_address=None) as client:
    frame = dd.from_pandas(pd.concat([X, y], axis=1), npartitions=4)
    spread = DaskDPDTBoostingClassifier(max_iter=20, client=client)
    spread.fit(frame[list(X.columns)], frame["target"])
    local = spread.to_local()
same = (local.predict_proba(X) == memory.predict_proba(X)).all()
print("on two workers, the same probabilities:", bool(same))

plot_learning_curve(memory)
plt.show()
