"""
Explore a tree in the browser
=============================

`explore` writes one HTML file: the trees of every size, the other splits of each node
with the best tree below them, the path of a row, a questionnaire, the errors, and what
happens if a split is swapped.
"""

# sphinx_gallery_thumbnail_path = 'images/explorer.png'
import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from dpdtree import DPDTreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
model = DPDTreeClassifier().fit(X, y)
folder = Path(tempfile.mkdtemp())
file = model.explore(
    X, y, X_test=X_test, y_test=y_test, path=folder / "tumours.html", cv=5
)
print(file.name, f"{file.stat().st_size / 1024:.0f} KB")

# %%
# The page needs no server. This is one:
#
# .. raw:: html
#
#    <iframe src="../explorer-demo.html" title="The explorer" loading="lazy"
#            width="100%" height="760"></iframe>
