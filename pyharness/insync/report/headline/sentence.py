"""Writes the finding of a run or a matrix: one sentence on how its arms compare in one metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from insync.metrics import METRICS, Metric
from insync.report.headline.figures import Figures, subject
from insync.report.headline.groups import Level, Share, did, levels, shares
from insync.report.words import listed, number, span

Values = Mapping[str, Sequence[float | None]]

NOTHING = "No figure of this run is known"


def finding(figures: Figures) -> str:
    """Return the finding of a run, and of which arms it is not known."""
    metric = subject(figures)
    if metric is None:
        return NOTHING
    known = figures.of(metric)
    text = clause(METRICS[metric], known, "repeats")
    missing = [arm for arm in figures.arms if arm not in known]
    return sentence(f"{text}; of {listed(missing)} it is not known" if missing else text)


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning; names of arms have none."""
    return text[0].upper() + text[1:]


def clause(metric: Metric, values: Values, each: str) -> str:
    """Say how arms compare in one metric: how often it happened, or its value."""
    words = did(metric)
    if words and any(None in of_arm for of_arm in values.values()):
        each = f"known {each}"
    return _happened(words, values, each) if words else _was(metric, values, each)


def _happened(words: str, values: Values, each: str) -> str:
    groups = shares(values)
    if len(groups) == 1:
        return _alike(words, groups[0], each)
    first, *others = groups
    if all(group.known == 1 for group in groups) and not each.startswith("known"):
        neither = listed([arm for group in others for arm in group.arms])
        return f"{listed(first.arms)} {words}; {neither} did not"
    text = f"{listed(first.arms)} {words} in {first.hits} of {first.known} {each}"
    for group in others:
        often = f"in {group.hits} of {group.known}" if group.hits else "in none"
        text += f"{',' if group.hits else ';'} {listed(group.arms)} {often}"
    return text


def _alike(words: str, group: Share, each: str) -> str:
    """Say that all arms did the same."""
    several = group.known > 1 or each.startswith("known")
    if not group.hits:
        who = "no arm" if len(group.arms) > 1 else f"{group.arms[0]} never"
        return f"{who} {words}" + (f" in any of {group.known} {each}" if several else "")
    who = "every arm" if len(group.arms) > 1 else group.arms[0]
    return f"{who} {words}" + (f" in {group.hits} of {group.known} {each}" if several else "")


def _was(metric: Metric, values: Values, each: str) -> str:
    groups = levels(metric, values)
    says = metric.measured or f"the {metric.label_alone} was"
    if len(groups) == 1:
        where = ["every arm" if len(values) > 1 else groups[0].arms[0]]
        parts = [f"{_value(metric, groups[0])} in {where[0]}"]
    else:
        parts = [f"{_value(metric, group)} in {listed(group.arms)}" for group in groups]
    most = max(len(of_arm) for of_arm in values.values())
    return f"{says} {'; '.join(parts)}" + (f" (median of {most} {each})" if most > 1 else "")


def _value(metric: Metric, level: Level) -> str:
    if level.least is None or level.most is None:
        return "never"
    if metric.is_time:
        least, most = span(level.least), span(level.most)
        return most if least == most else f"{least} to {most}"
    word = {"replicas": "replica", "records": "record"}.get(metric.unit)
    if word is None:
        return number(level.most)
    return f"{number(level.most)} {word}{'' if level.most == 1 else 's'}"
