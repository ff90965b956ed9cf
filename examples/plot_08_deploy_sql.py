"""
Deploy a tree to a database
===========================

The tree as a SQL expression, executed in SQLite, against `predict`.
"""

import sqlite3

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from dpdtree import DPDTreeClassifier, export_sql, plot_tree

data = load_wine(as_frame=True)
X, y = data.data, data.target
model = DPDTreeClassifier(max_depth=3).fit(X, y)
plot_tree(model)
plt.show()

# %%
query = export_sql(model, table="wines", dialect="sqlite")
print(query)

# %%
# The database gives the same labels.
connection = sqlite3.connect(":memory:")
X.to_sql("wines", connection, index=False)
rows = connection.execute(query).fetchall()
connection.close()
print("rows:", len(rows))
print("same labels:", [row[0] for row in rows] == model.predict(X).tolist())
