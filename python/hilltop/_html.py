"""Studies in a notebook: the best trial, its course and a slice along each parameter, drawn without a script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._study import Best, Trial

BLUE, GREY, RED = "#2f6fb0", "#9aa5b1", "#c0392b"
#: At most so many points are drawn, evenly chosen, and so many parameters.
POINTS, SLICES = 400, 12


def study_html(description: dict[str, Any], objective: str, trials: list[Trial], best: Best | None) -> str:
    """The study in a cell of a notebook."""
    complete = [trial for trial in trials if trial.outputs is not None]
    failed = sum(trial.state == "failed" for trial in trials)
    title = f"{escape(description['name'])}: {len(complete)} complete, {failed} failed"
    parts = [f'<div style="font:13px sans-serif"><b>{title}</b>']
    if best is not None:
        cells = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(_shown(value))}</td></tr>"
            for name, value in [*best.parameters.items(), *best.outputs.items()]
        )
        parts.append(f"<p>best: trial {best.trial}</p><table>{cells}</table>")
        parts.append(_course(objective, complete, "maximize" in description["outputs"][objective]))
        parts.extend(_slices(description.get("parameters", {}), objective, complete))
    return "".join([*parts, "</div>"])


def trials_html(columns: dict[str, list[Any]], rows: int = 50) -> str:
    """A table; of many rows the first and the last."""
    count = len(next(iter(columns.values())))
    places = list(range(count)) if count <= rows else [*range(rows // 2), *range(count - rows // 2, count)]
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_shown(column[place]))}</td>" for column in columns.values()) + "</tr>"
        for place in places
    )
    note = "" if count <= rows else f"<p>{count} trials, {len(places)} of them shown</p>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _course(objective: str, trials: list[Trial], maximised: bool) -> str:
    values = [(trial.outputs or {})[objective] for trial in trials]
    running: list[float] = []
    for value in values:
        last = running[-1] if running else value
        running.append(max(last, value) if maximised else min(last, value))
    points = [(float(trial.number), value) for trial, value in zip(trials, values)]
    line = [(float(trial.number), value) for trial, value in zip(trials, running)]
    return _plot("trial", objective, points, line, 520, 200)


def _slices(parameters: dict[str, Any], objective: str, trials: list[Trial]) -> list[str]:
    plots = []
    for name, described in list(parameters.items())[:SLICES]:
        options = described.get("choice") or described.get("ordered")
        points = []
        for trial in trials:
            value = (trial.parameters or {}).get(name)
            if value is not None and "value" not in described:
                place = float(options.index(value)) if options else float(value)
                points.append((place, (trial.outputs or {})[objective]))
        if points:
            plots.append(_plot(name, objective, points, [], 250, 150))
    return plots


def _plot(x: str, y: str, points: list[Any], line: list[Any], width: int, height: int) -> str:
    """A scatter plot as SVG, perhaps with a line."""
    across, up = [point[0] for point in points], [point[1] for point in points]
    left, bottom = 46, 30

    def place(point: Any) -> tuple[float, float]:
        return (
            left + _share(point[0], across) * (width - left - 8),
            height - bottom - _share(point[1], up) * (height - bottom - 10),
        )

    kept = points[:: max(1, len(points) // POINTS)]
    dots = "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5"/>' for a, b in map(place, kept))
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in map(place, line[:: max(1, len(line) // POINTS)]))
    axis = f'<path d="M{left},6V{height - bottom}H{width - 4}" stroke="{GREY}" fill="none"/>'
    texts = (
        f'<text x="{width / 2:.0f}" y="{height - 4}" text-anchor="middle">{escape(x)}</text>'
        f'<text x="4" y="14">{max(up):.3g}</text><text x="4" y="{height - bottom}">{min(up):.3g}</text>'
        f'<text x="{left}" y="{height - 16}">{min(across):.3g}</text>'
        f'<text x="{width - 4}" y="{height - 16}" text-anchor="end">{max(across):.3g}</text>'
    )
    drawn = f'<polyline points="{path}" fill="none" stroke="{RED}"/>' if line else ""
    return (
        f'<svg width="{width}" height="{height}" font-size="11" role="img" aria-label="{escape(y)} by {escape(x)}">'
        f'{axis}<g fill="{BLUE}" fill-opacity="0.6">{dots}</g>{drawn}<g fill="#333">{texts}</g></svg>'
    )


def _share(value: float, values: list[float]) -> float:
    low, high = min(values), max(values)
    return 0.5 if high <= low else (value - low) / (high - low)
