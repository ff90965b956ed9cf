"""
Deploy a tree to a database
===========================

The tree as a SQL expression, executed in SQLite, against `predict`.
"""

import sqlite3

from sklearn.datasets import load_iris

from dpdtree import DPDTreeClassifier, export_sql

data = load_iris(as_frame=True)
X = data.data.rename(columns=lambda name: name.replace(" (cm)", "").replace(" ", "_"))
model = DPDTreeClassifier(max_depth=3).fit(X, data.target)
query = export_sql(model, table="flowers")
print(query)

# %%
# The database gives the same labels.
connection = sqlite3.connect(":memory:")
X.to_sql("flowers", connection, index=False)
rows = connection.execute(query).fetchall()
connection.close()
print("columns:", len(rows[0]), "rows:", len(rows))
print("same labels:", [row[0] for row in rows] == model.predict(X).tolist())
