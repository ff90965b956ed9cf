"""
Errors that cost differently
============================

Missing a disease costs five times as much as a false alarm. The tree minimises the
cost, not the number of errors.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from dpdtree import DPDTreeClassifier

data = load_breast_cancer()
X, X_test, y, y_test = train_test_split(data.data, data.target, random_state=0)
costs = [[0.0, 5.0], [1.0, 0.0]]  # row: truth (0 is malignant), column: prediction

for name, arguments in {
    "errors": {"loss": "zero_one"},
    "costs": {"loss": "cost_matrix", "cost_matrix": costs},
}.items():
    model = DPDTreeClassifier(max_depth=3, **arguments).fit(X, y)
    print(name)
    print(confusion_matrix(y_test, model.predict(X_test)))
