"""Black-box optimisation with neural-network surrogates.

>>> import hilltop
>>> found = hilltop.minimize(lambda x: (x[0] - 0.3) ** 2 + (x[1] + 0.5) ** 2, [(-1, 1), (-1, 1)], budget=30, seed=1)
>>> found.fun < 0.01
True

Three doors: :func:`minimize` for a function, :class:`Study` to ask and tell or to keep a study in a file, and
:func:`compose` or any object with ``propose(history)`` for a method of one's own. Plugs for other programs are modules
of their own: ``hilltop.optuna``, ``hilltop.ray``, ``hilltop.sklearn``, ``hilltop.scipy``.
"""

from . import errors
from ._compose import Method, compose, methods
from ._history import History, Proposes
from ._minimize import Result, minimize
from ._model import Model
from ._native import __version__
from ._space import choice, fixed, integer, ordered, real
from ._study import Asked, Best, Study, Trial, Trials
from .errors import HilltopError

__all__ = [
    "Asked",
    "Best",
    "HilltopError",
    "History",
    "Method",
    "Model",
    "Proposes",
    "Result",
    "Study",
    "Trial",
    "Trials",
    "__version__",
    "choice",
    "compose",
    "errors",
    "fixed",
    "integer",
    "methods",
    "minimize",
    "ordered",
    "real",
]
