"""Methods by name, composed, and written in Python; what they believe."""

from __future__ import annotations

import numpy as np
import pytest

import hilltop


def bowl(x) -> float:
    return (x[0] - 0.3) ** 2 + (x[1] - 0.6) ** 2


@pytest.mark.parametrize("method", [method.name for method in hilltop.methods() if not method.name.startswith("lin-")])
def test_every_method_works_on_a_box(method):
    physics = {"equation": "d(f,x1,x1) = 2", "points": 30} if method == "pinn-bo" else None
    found = hilltop.minimize(bowl, [(0, 1), (0, 1)], budget=13, method=method, seed=1, physics=physics)
    assert found.nfev == 13 and found.success and found.fun < 0.2


def test_a_composition_is_checked_and_works():
    optimist = hilltop.compose(surrogate={"depth": 2}, acquisition="ucb", design={"count": 6})
    found = hilltop.minimize(bowl, [(0, 1), (0, 1)], budget=22, method=optimist)
    assert found.fun < 0.01
    for wrong in ({"acquisition": "ecb"}, {"surrogate": {"widht": 1}}, {"maximiser": {"name": "pool", "points": -1}}):
        with pytest.raises(hilltop.errors.SettingError):
            hilltop.compose(**wrong)


class Middle:
    """Halves the way to the best point."""

    def propose(self, history: hilltop.History) -> dict:
        rng = history.rng()
        if len(history) < 4:
            return {"x1": rng.random(), "x2": rng.random()}
        best = history.parameters[history.objective.index(min(history.objective))]
        return {name: min(1.0, max(0.0, value + rng.gauss(0, 0.05))) for name, value in best.items()}


def test_an_object_that_proposes_is_a_method(tmp_path):
    found = hilltop.minimize(bowl, [(0, 1), (0, 1)], budget=40, method=Middle(), store=tmp_path / "a.db")
    assert found.fun < 0.05
    again = hilltop.minimize(bowl, [(0, 1), (0, 1)], budget=45, method=Middle(), store=tmp_path / "a.db")
    assert again.nfev == 45 and again.x_iters[:40] == found.x_iters


def test_what_a_method_sees():
    seen = []

    class Witness:
        def propose(self, history):
            seen.append(history)
            return {"x": history.trial / 10}

    study = hilltop.Study({"x": hilltop.real(0, 1)}, outputs={"gain": "maximize", "c": {"max": 1}}, method=Witness(), seed=9)
    first, second = study.ask(2)
    study.tell(first, {"gain": 5, "c": 0.5})
    study.tell(second, failed="broken")
    study.ask(2)
    last = seen[-1]
    assert (last.trial, last.seed, last.budget, len(last)) == (3, 9, None, 1)
    assert last.objective == [-5] and last.outputs == {"gain": [5], "c": [0.5]}
    assert last.pending == [{"x": 0.2}] and last.failures == [({"x": 0.1}, "broken")]


@pytest.mark.parametrize(
    ("answer", "error"),
    [(None, TypeError), ({"x": 3}, ValueError), ({"y": 0.5}, ValueError), ({"x": "a"}, ValueError), (ZeroDivisionError("mine"), ZeroDivisionError)],
)
def test_what_a_method_does_wrong_is_raised_as_it_is(answer, error):
    class Wrong:
        def propose(self, history):
            if isinstance(answer, Exception):
                raise answer
            return answer

    study = hilltop.Study({"x": hilltop.real(0, 1)}, method=Wrong())
    with pytest.raises(error):
        study.ask()
    with pytest.raises(error):
        study.optimize(lambda p: 0.0, trials=2)


def test_a_model_predicts_in_the_users_units_and_direction():
    study = hilltop.Study({"x": hilltop.real(-5, 5), "n": hilltop.integer(1, 9)}, outputs={"gain": "maximize"}, seed=2)
    assert study.model() is None
    study.optimize(lambda p: 100 - p["x"] ** 2 - p["n"], trials=25)
    model = study.model()
    grid = np.array([[x, 3] for x in np.linspace(-5, 5, 11)])
    mean, deviation = model.predict(grid)
    assert mean.shape == deviation.shape == (11,) and mean.dtype == float and (deviation >= 0).all()
    assert np.abs(mean - (100 - grid[:, 0] ** 2 - 3)).max() < 8
    named = model.predict([{"x": x, "n": int(n)} for x, n in grid])
    assert np.array_equal(named[0], mean)
    assert model.predict({"x": 0.0, "n": 3})[0] == pytest.approx(float(model.predict([0.0, 3])[0]))
    assert mean.base is not None
    assert model.names == ["x", "n"]
    for wrong in ([[1.0]], np.zeros((2, 3)), [[np.nan, 1]], [[99, 1]], [[0, 2.5]]):
        with pytest.raises(ValueError):
            model.predict(wrong)
    assert model.predict(np.zeros((0, 2)))[0].shape == (0,)
    recommended, _ = study.recommend()
    assert set(recommended) == {"x", "n"}


def test_functions_are_drawn_with_their_gradients():
    study = hilltop.Study([(0, 2), (0, 1)], method=hilltop.compose(acquisition="path"), seed=1)
    study.optimize(bowl, trials=12)
    draw = study.model().draw(seed=4)
    at = np.array([[0.7, 0.4]])
    value, gradient = draw.with_gradient(at)
    ahead = draw(at + [[1e-4, 0]])
    assert gradient.shape == (1, 2)
    assert gradient[0, 0] == pytest.approx((ahead[0] - value[0]) / 1e-4, rel=0.05, abs=0.05)
    assert np.array_equal(study.model().draw(seed=4)(at), value)
    assert not np.array_equal(study.model().draw(seed=5)(at), value)


def test_minimize_in_the_manner_of_scipy(tmp_path):
    found = hilltop.minimize(bowl, [(0, 1), (0, 1)], budget=25, seed=1)
    assert found.success and found.status == 0 and found.nfev == found.nit == 25
    assert found["fun"] == found.fun == min(found.func_vals) == pytest.approx(bowl(found.x))
    assert "study" in dir(found) and "success: True" in repr(found)
    with pytest.raises(AttributeError):
        found.nothing


def test_constraints_as_functions_and_as_limits():
    found = hilltop.minimize(lambda x: x[0], [(0, 1)], constraints=lambda x: 0.5 - x[0], budget=25, seed=1)
    assert found.success and found.maxcv == 0 and 0.5 <= found.x[0] < 0.7
    found = hilltop.minimize(
        lambda p: (p["x"], {"s": p["x"]}), {"x": hilltop.real(0, 1)}, constraints={"s": {"min": 0.5}}, budget=20
    )
    assert found.x["x"] >= 0.5
    found = hilltop.minimize(lambda x: x[0], [(0, 1)], constraints={"never": lambda x: 1.0}, budget=5)
    assert not found.success and found.status == 3 and found.maxcv == 1
    with pytest.raises(TypeError):
        hilltop.minimize(lambda x: x[0], [(0, 1)], constraints={"c": 5}, budget=5)


def test_a_search_in_which_everything_failed_says_so():
    with pytest.warns(hilltop.errors.EvaluationWarning):
        found = hilltop.minimize(lambda x: float("nan"), [(0, 1)], budget=4)
    assert not found.success and found.status == 2 and found.x is None and "all 4" in found.message


def test_a_callback_ends_the_search():
    calls = []
    found = hilltop.minimize(lambda x: x[0], [(0, 1)], budget=40, callback=lambda result: calls.append(result.fun) or len(calls) == 5)
    assert found.nfev == 5 and found.status == 1 and calls == sorted(calls, reverse=True)
