"""`to_sklearn` gives genuine scikit-learn trees that tools recognise."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn.tree
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from tests.integration.data import (
    TREE_ARRAYS,
    make_classes,
    make_targets,
    with_missing,
)


@pytest.fixture(params=[False, True], ids=["complete", "missing"])
def problem(request):
    X, y = make_classes()
    return (with_missing(X) if request.param else X), y


def test_classifier(problem):
    X, y = problem
    model = DPDTreeClassifier().fit(X, np.array(["a", "b", "c"])[y])
    assert model.shrinkage_ > 0.0
    twin = model.to_sklearn(smoothed=True)
    assert type(twin) is DecisionTreeClassifier
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(twin.apply(X), model.apply(X))
    assert (twin.decision_path(X) != model.decision_path(X)).nnz == 0
    assert twin.get_n_leaves() == model.get_n_leaves()
    assert twin.get_depth() == model.get_depth()
    np.testing.assert_allclose(twin.feature_importances_, model.feature_importances_)


def test_counts_are_true_ones(problem):
    """Nobody counts fractions of rows; smoothing is for probabilities."""
    X, y = problem
    model = DPDTreeClassifier(strategy="balanced").fit(X, y)
    twin = model.to_sklearn()
    structure = twin.tree_
    counts = structure.value[:, 0] * structure.weighted_n_node_samples[:, None]
    np.testing.assert_allclose(counts, counts.round(), atol=1e-9)
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        np.testing.assert_allclose(
            counts[leaf], np.bincount(y[leaves == leaf], None, 3)
        )
    assert not np.array_equal(twin.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))


def test_counts_give_way_where_shrunk_shares_decide_otherwise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (rng.random(600) < 0.08 + 0.4 * (X[:, 0] > 1)).astype(int)
    model = DPDTreeClassifier(shrinkage=150.0, max_depth=4, alpha=0.0).fit(X, y)
    raw, said = model.tree_.value[:, 0], model.tree_.shrunk(150.0)[:, 0]
    other = raw.argmax(axis=1) != said.argmax(axis=1)
    other &= model.tree_.children_left == -1
    assert other.any()
    twin = model.to_sklearn()
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    np.testing.assert_array_equal(twin.tree_.value[~other, 0], raw[~other])
    np.testing.assert_array_equal(twin.tree_.value[other, 0], said[other])


def test_regressor(problem):
    X, _ = problem
    _, y = make_targets()
    model = DPDTreeRegressor().fit(X, y)
    assert model.shrinkage_ > 0.0
    twin = model.to_sklearn()
    assert type(twin) is DecisionTreeRegressor
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    np.testing.assert_array_equal(twin.apply(X), model.apply(X))


def test_structure_is_kept(problem):
    model = DPDTreeClassifier(shrinkage=0.0).fit(*problem)
    twin = model.to_sklearn()
    for name in TREE_ARRAYS:
        ours, theirs = getattr(model.tree_, name), getattr(twin.tree_, name)
        if name == "threshold":
            np.testing.assert_allclose(theirs, ours, rtol=1e-6, atol=1e-30)
        else:
            np.testing.assert_array_equal(theirs, ours)


@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30, 1 / 3])
def test_thresholds_decide_alike_in_single_precision(scale):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] * X[:, 1] > 0) ^ (X[:, 2] > 0)
    X = (X * scale).astype(np.float32)
    model = DPDTreeClassifier(strategy="balanced").fit(X, y)
    twin = model.to_sklearn()
    inner = model.tree_.children_left != -1
    thresholds = twin.tree_.threshold[inner]
    np.testing.assert_array_equal(thresholds, thresholds.astype(np.float32))
    near = np.concatenate([np.nextafter(X, np.float32(s)) for s in (-np.inf, np.inf)])
    for rows in (X, near, np.repeat(thresholds[:, None], 3, axis=1)):
        rows32 = rows.astype(np.float32)
        np.testing.assert_array_equal(twin.apply(rows32), model.apply(rows32))


def test_float64_values_that_float32_tells_apart():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(1000, 2))
    y = (X[:, 0] > 0.1) ^ (X[:, 1] > -0.2)
    model = DPDTreeClassifier(strategy="balanced", max_depth=2).fit(X, y)
    np.testing.assert_array_equal(model.to_sklearn().apply(X), model.apply(X))


def test_thresholds_beyond_single_precision():
    X = np.array([[-1e300], [-1e299], [1e299], [1e300]])
    model = DPDTreeClassifier(max_depth=2, alpha=0.0).fit(X, [0, 1, 0, 1])
    assert model.get_n_leaves() > 1
    small = np.array([[0.0], [1e30], [-1e30]])
    np.testing.assert_array_equal(model.to_sklearn().apply(small), model.apply(small))


def test_pickled_twin():
    X, y = make_classes()
    twin = DPDTreeClassifier().fit(X, y).to_sklearn()
    again = pickle.loads(pickle.dumps(twin))
    np.testing.assert_array_equal(again.predict(X), twin.predict(X))


def test_feature_names_and_labels_are_passed_on():
    pandas = pytest.importorskip("pandas")
    X, y = make_classes()
    frame = pandas.DataFrame(X, columns=list("abcde"))
    twin = DPDTreeClassifier().fit(frame, y).to_sklearn()
    assert twin.feature_names_in_.tolist() == list("abcde")
    assert twin.predict(frame).tolist() == twin.predict(frame[list("abcde")]).tolist()


def test_single_leaf():
    X, y = make_classes()
    model = DPDTreeClassifier(alpha=10.0).fit(X, y)
    np.testing.assert_array_equal(model.to_sklearn().predict(X), model.predict(X))


def test_sklearn_export_text():
    model = DPDTreeClassifier(max_depth=2).fit(*make_classes())
    text = sklearn.tree.export_text(model.to_sklearn())
    assert text.count("class:") == model.get_n_leaves()


def test_plot_tree():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    model = DPDTreeClassifier(max_depth=2).fit(*make_classes())
    drawn = sklearn.tree.plot_tree(model.to_sklearn())
    pyplot.close("all")
    assert len(drawn) >= model.tree_.node_count


@pytest.mark.filterwarnings("ignore")
def test_shap():
    shap = pytest.importorskip("shap")
    X, y = make_classes()
    model = DPDTreeClassifier().fit(X, y)
    explainer = shap.TreeExplainer(model.to_sklearn(smoothed=True))
    values = explainer.shap_values(X[:20])
    total = values.sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(total, model.predict_proba(X[:20]), atol=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scale", [1.0, 1 / 3])
def test_onnx(scale):
    skl2onnx = pytest.importorskip("skl2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = make_classes()
    X = (X * scale).astype(np.float32)
    model = DPDTreeClassifier().fit(X, y)
    graph = skl2onnx.to_onnx(model.to_sklearn(), X[:1]).SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    labels = session.run(None, {"X": X})[0]
    np.testing.assert_array_equal(labels, model.predict(X))
