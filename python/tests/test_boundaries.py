"""Whatever is given is taken as it is meant, or refused by name; nothing ends the interpreter."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import hilltop
from hilltop import errors


def told(returned, outputs=None) -> hilltop.Trial:
    study = hilltop.Study([(0, 1)], method="random", outputs=outputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(lambda x: returned, trials=1)
    return study.trials[0]


@pytest.mark.parametrize(
    "returned",
    [2, 2.0, np.float32(2), np.int64(2), np.array(2.0), np.array([2.0]), np.array([[2]]), {"value": 2}, (2, {})],
)
def test_numbers_of_every_kind_are_numbers(returned):
    assert told(returned).outputs == {"value": 2.0}


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (None, "None"),
        (float("nan"), "nan"),
        (np.nan, "nan"),
        (-math.inf, "-inf"),
        (10**400, "inf"),
        ({"value": None}, "value is None"),
    ],
)
def test_what_is_no_finite_number_is_a_failure_with_its_reason(returned, reason):
    trial = told(returned)
    assert trial.state == "failed" and reason in trial.reason


@pytest.mark.parametrize(
    "returned", ["1.0", np.array([1.0, 2.0]), np.array([]), [1.0], 1j, object(), {"other": 1.0}, (1.0, 2.0)]
)
def test_what_cannot_be_meant_is_raised(returned):
    with pytest.raises(TypeError, match="value|objective"):
        told(returned)


def test_an_exception_of_the_objective_is_a_failure_and_the_study_goes_on():
    study = hilltop.Study([(0, 1)], seed=1)

    def objective(x):
        if x[0] > 0.5:
            raise ValueError("no mesh\nat all")
        return x[0]

    with pytest.warns(errors.EvaluationWarning, match="ValueError: no mesh") as warned:
        study.optimize(objective, trials=20)
    assert warned[0].filename == __file__, "a warning points at the objective"
    failed = [trial for trial in study.trials if trial.state == "failed"]
    assert failed and failed[0].reason.startswith("ValueError: no mesh") and len(study.trials) == 20


def test_a_mistake_in_the_program_is_raised_and_the_trial_is_evaluated_again():
    study = hilltop.Study([(0, 1)], method="random")
    with pytest.raises(NameError):
        study.optimize(lambda x: undefined, trials=3)  # noqa: F821
    assert study.trials[0].state == "running"
    study.optimize(lambda x: x[0], trials=3)
    assert [trial.state for trial in study.trials] == ["complete"] * 3
    with pytest.warns(errors.EvaluationWarning, match="NameError"):
        study.optimize(lambda x: undefined, trials=1, catch=NameError)  # noqa: F821
    assert study.trials[-1].state == "failed"


def test_a_mistake_on_a_thread_is_raised_too():
    study = hilltop.Study([(0, 1)], method="random", parallel=3, budget=20)
    with pytest.raises(AttributeError):
        study.optimize(lambda x: x.nothing)
    study.optimize(lambda x: x[0])
    assert all(trial.state == "complete" for trial in study.trials) and len(study.trials) == 20


def test_points_are_checked():
    study = hilltop.Study({"länge": hilltop.real(0, 1), "n": hilltop.integer(1, 9), "名前": ["ä", "b"]}, method="random")
    good = {"länge": np.float64(0.5), "n": np.int32(3), "名前": np.str_("ä")}
    assert study.add(good, np.float32(1.0)) == 0
    assert study.add([0.25, 4, "b"], 2) == 1
    assert study.trials[0].parameters == {"länge": 0.5, "n": 3, "名前": "ä"}
    for change, parameter in [
        ({"länge": 2.0}, "länge"),
        ({"länge": float("nan")}, "länge"),
        ({"länge": "x"}, "länge"),
        ({"n": 2.5}, "n"),
        ({"名前": "c"}, "名前"),
        ({"other": 1}, "other"),
    ]:
        with pytest.raises(errors.PointError) as raised:
            study.add({**good, **change}, 1.0)
        assert parameter in str(raised.value)
    with pytest.raises(errors.PointError) as raised:
        study.add({"länge": 0.5, "n": 3}, 1.0)
    assert raised.value.parameter == "名前"
    with pytest.raises(OverflowError, match="too large"):
        study.add({**good, "n": 10**30}, 1.0)
    with pytest.raises(TypeError):
        study.add({**good, "n": None}, 1.0)
    with pytest.raises(TypeError):
        study.add({**good, "n": [1, 2]}, 1.0)
    with pytest.raises(ValueError, match="3 parameters"):
        study.add([0.5], 1.0)
    assert len(study.trials) == 2


def test_tells_are_checked():
    study = hilltop.Study([(0, 1)], outputs={"cost": "minimize", "stress": {"max": 1}}, method="random")
    asked = study.ask()
    with pytest.raises(errors.OutputError) as raised:
        study.tell(asked, 1.0)
    assert raised.value.output == "stress"
    with pytest.raises(errors.OutputError):
        study.tell(asked, {"cost": 1, "stress": 1, "more": 1})
    with pytest.raises(errors.OutputError):
        study.tell(asked)
    with pytest.raises(TypeError):
        study.tell(asked, {"cost": "one", "stress": 1})
    with pytest.raises(TypeError):
        study.tell(asked, {"cost": np.zeros(3), "stress": 1})
    for wrong in (99, 2**62):
        with pytest.raises(errors.TrialError) as unknown:
            study.tell(wrong, {"cost": 1, "stress": 1})
        assert unknown.value.trial == wrong and isinstance(unknown.value, LookupError)
    for wrong in (-1, 2**70):
        with pytest.raises(ValueError):
            study.tell(wrong, {"cost": 1, "stress": 1})
    for wrong in (None, "0", 1.5, True):
        with pytest.raises(TypeError):
            study.tell(wrong, {"cost": 1, "stress": 1})
    study.tell(asked, {"cost": np.nan, "stress": 1})
    assert study.trials[0].state == "failed"
    with pytest.raises(errors.TrialError, match="already"):
        study.tell(asked, {"cost": 1, "stress": 1})


@pytest.mark.parametrize(
    "space",
    [
        {},
        [],
        None,
        5,
        [(0, 1, 2)],
        [(1, 0)],
        [(0, float("nan"))],
        [(0, math.inf)],
        [("a", "b")],
        {"x": (0, 1)},
        {"x": None},
        {"x": "abc"},
        {"x": {"float": [0]}},
        {"x": {"flaot": [0, 1]}},
        {"x": hilltop.integer(0, 2**80)},
        {"x": hilltop.real(-1, 1, log=True)},
        {"x": [1]},
        {"x": ["a", "a"]},
        {"x": ["a", None]},
        {"x": ["a", object()]},
        {1: (0.0, 1.0)},
        {"": (0.0, 1.0)},
        {"x": hilltop.real(0, 1, when="y == 1")},
        {"x": range(0)},
    ],
)
def test_spaces_are_checked(space):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        hilltop.Study(space)


@pytest.mark.parametrize(
    "arguments",
    [
        {"method": "neuralbo"},
        {"method": {"name": "random", "widht": 5}},
        {"method": {"width": 5}},
        {"method": 7},
        {"method": object()},
        {"seed": -1},
        {"seed": 2**64},
        {"seed": 1.5},
        {"seed": None},
        {"budget": 0},
        {"parallel": 0},
        {"parallel": 10**6},
        {"known": ["x1 <"]},
        {"known": ["y <= 1"]},
        {"known": ["x1 > 2"]},
        {"outputs": {}},
        {"outputs": {"a": "minimise"}},
        {"outputs": {"a": "minimize", "b": "maximize"}},
        {"outputs": {"a": {"max": float("nan")}}},
        {"store": "/no/such/folder/study.db"},
    ],
)
def test_settings_are_checked(arguments):
    with pytest.raises((ValueError, TypeError, errors.HilltopError)) as raised:
        hilltop.Study([(0, 1)], **arguments)
    assert str(raised.value)


def test_numpy_makes_spaces_too():
    space = {"x": hilltop.real(np.float32(0), np.float64(1)), "n": hilltop.integer(np.int64(1), np.int64(5))}
    asked = hilltop.Study({**space, "c": list(np.array(["a", "b"]))}, seed=np.int64(3)).ask()
    assert asked.parameters["c"] in ("a", "b")
    study = hilltop.Study(np.array([[0.0, 1.0], [2.0, 3.0]]))
    assert study.ask().x.shape == (2,)


def test_large_whole_numbers_keep_every_digit():
    high = 2**40
    study = hilltop.Study({"n": hilltop.integer(0, high)}, method="random")
    study.add({"n": high - 1}, 1.0)
    assert study.trials[0].parameters == {"n": high - 1}


def test_counts_are_checked():
    study = hilltop.Study([(0, 1)], method="random")
    assert study.ask(0) == []
    for wrong in (-1, 10**9):
        with pytest.raises(ValueError):
            study.ask(wrong)
    with pytest.raises(TypeError):
        study.ask("3")
    with pytest.raises(TypeError):
        study.optimize(5, trials=1)


def test_lists_stand_in_where_numpy_is_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "numpy", None)
    found = hilltop.minimize(lambda x: (x[0] - 0.5) ** 2, [(0, 1)], budget=14)
    assert isinstance(found.x, list) and found.fun < 0.01
    model = found.study.model()
    mean, deviation = model.predict([[0.5], [0.9]])
    assert isinstance(mean, list) and mean[0] < mean[1]
    assert isinstance(model.predict([0.5])[0], float)
