"""scikit-learn's checks, and its habits."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from scipy import stats  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_breast_cancer, load_iris  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.exceptions import FitFailedWarning  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import KFold  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import hilltop  # noqa: E402
from hilltop.sklearn import HilltopSearchCV  # noqa: E402

IRIS = load_iris(return_X_y=True)


def expected(estimator: HilltopSearchCV) -> dict[str, str]:
    """What scikit-learn's own search does not do either."""
    if isinstance(estimator.estimator, Ridge):
        return {"check_supervised_y_2d": "GridSearchCV(Ridge()) does not warn of a column of targets"}
    return {}


@parametrize_with_checks(
    [
        HilltopSearchCV(Ridge(), {"alpha": hilltop.real(0.1, 10, log=True)}, n_iter=3, cv=2, method="random", random_state=0),
        HilltopSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, n_iter=2, cv=2, error_score="raise", random_state=0),
    ],
    expected_failed_checks=expected,
)
def test_the_checks_of_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_it_searches_and_behaves_like_the_others():
    space = {"C": hilltop.real(1e-3, 1e3, log=True), "kernel": ["rbf", "linear"], "gamma": hilltop.real(1e-4, 1, log=True)}
    search = HilltopSearchCV(SVC(), space, n_iter=15, n_points=3, cv=3, random_state=3, n_jobs=2)
    copy = clone(search)
    search.fit(*IRIS)
    assert search.best_score_ > 0.95 and len(search.cv_results_["params"]) == 15
    assert search.score(*IRIS) > 0.95 and set(search.best_params_) == set(space)
    assert (pickle.loads(pickle.dumps(search)).predict(IRIS[0]) == search.predict(IRIS[0])).all()
    copy.fit(*IRIS)
    assert copy.cv_results_["params"] == search.cv_results_["params"]


def test_pipelines_objects_and_several_scores():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    space = {"logisticregression__C": (1e-3, 1e3, "log-uniform"), "standardscaler": [StandardScaler(), "passthrough"]}
    search = HilltopSearchCV(
        pipeline, space, n_iter=8, cv=3, scoring=["accuracy", "f1_macro"], refit="f1_macro", random_state=0, return_train_score=True
    ).fit(*IRIS)
    assert search.best_score_ == max(search.cv_results_["mean_test_f1_macro"])
    assert "mean_train_accuracy" in search.cv_results_


def test_failed_fits_are_failures():
    class Fragile(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            if self.max_depth > 4:
                raise RuntimeError("too deep")
            return super().fit(X, y)

    search = HilltopSearchCV(Fragile(), {"max_depth": hilltop.integer(1, 8)}, n_iter=8, cv=3, random_state=0)
    search.fit(*IRIS)
    assert len(search.failed_params_) == 4 and len(search.cv_results_["params"]) == 4
    assert search.best_params_["max_depth"] <= 4
    search.set_params(n_points=8)
    with pytest.warns(FitFailedWarning):
        search.fit(*IRIS)
    assert np.isnan(search.cv_results_["mean_test_score"]).sum() == 4 and search.failed_params_ == []
    search.set_params(param_space={"max_depth": hilltop.integer(5, 8)}, n_points=1, n_iter=3)
    with pytest.raises(ValueError, match="fits failed"):
        search.fit(*IRIS)
    search.set_params(error_score="raise")
    with pytest.raises(RuntimeError, match="too deep"):
        search.fit(*IRIS)


def test_spaces_of_other_programs():
    class Real:
        low, high, prior = 0.1, 10.0, "log-uniform"

    class Integer:
        low, high, prior = 1, 5, "uniform"

    class Categorical:
        categories = ("gini", "entropy")

    space = {"max_depth": Integer(), "criterion": Categorical(), "min_samples_split": (2, 9), "ccp_alpha": (0.0, 0.1)}
    search = HilltopSearchCV(DecisionTreeClassifier(), space, n_iter=9, cv=3, random_state=0).fit(*IRIS)
    assert isinstance(search.best_params_["min_samples_split"], int)
    search = HilltopSearchCV(Ridge(), {"alpha": Real()}, n_iter=4, cv=3, random_state=0).fit(*IRIS)
    assert 0.1 <= search.best_params_["alpha"] <= 10
    space = {"C": stats.loguniform(1e-2, 1e2), "tol": stats.uniform(1e-5, 1e-3), "max_iter": stats.randint(500, 510)}
    search = HilltopSearchCV(LogisticRegression(), space, n_iter=6, cv=3, random_state=0).fit(*IRIS)
    assert all(500 <= point["max_iter"] <= 510 for point in search.cv_results_["params"])
    several = [({"kernel": ["linear"], "C": (0.1, 10.0)}, 3), {"kernel": ["rbf"], "gamma": (0.1, 1.0)}]
    search = HilltopSearchCV(SVC(), several, n_iter=4, cv=3, random_state=0).fit(*IRIS)
    assert [point["kernel"] for point in search.cv_results_["params"]] == ["linear"] * 3 + ["rbf"] * 4
    for wrong in ({"C": stats.norm(0, 1)}, {"C": "abc"}, {"C": []}):
        with pytest.raises(ValueError):
            HilltopSearchCV(SVC(), wrong, n_iter=2, cv=3).fit(*IRIS)


def test_splits_that_change_are_warned_of():
    search = HilltopSearchCV(SVC(), {"C": (0.1, 10.0)}, n_iter=2, cv=KFold(3, shuffle=True), random_state=0)
    with pytest.warns(UserWarning, match="splits"):
        search.fit(*IRIS)


def forest_space() -> dict:
    """The random-forest parameters of the GO-UCB paper's appendix D.2."""
    return {
        "n_estimators": hilltop.integer(20, 200),
        "criterion": ["gini", "entropy", "log_loss"],
        "max_depth": hilltop.integer(1, 10),
        "min_samples_split": hilltop.integer(2, 10),
        "min_samples_leaf": hilltop.integer(1, 10),
        "max_features": ["sqrt", "log2"],
        "bootstrap": [True, False],
    }


def test_a_forest_is_tuned():
    X, y = load_breast_cancer(return_X_y=True)
    search = HilltopSearchCV(RandomForestClassifier(random_state=0), forest_space(), n_iter=6, cv=3, random_state=0)
    assert search.fit(X, y).best_score_ > 0.93
