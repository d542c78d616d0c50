"""Finds, reads, expands, checks and scales scenarios.

Every error is an InputError with a line for each problem, which names the file, the key path, the
value and what was expected.
"""

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from insync.clients import Client
from insync.errors import InputError, did_you_mean
from insync.scenario.expand import expand
from insync.scenario.groups import builtin_files
from insync.scenario.model import Fault, Scenario
from insync.scenario.problems import describe
from insync.scenario.written import WRITTEN_KEYS, WrittenScenario

_ANY_FAULT: TypeAdapter[Any] = TypeAdapter(Fault)


def scale_times(keys: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """Return a valid scenario's keys with all times multiplied by `factor`, rounded to 1 ms.

    So are those in its summary. Expectations on times (metrics in `_ms`) are times, too, except
    their margins. A time above 0 stays at least 1 ms. Raises ValueError for a factor that is not a
    positive number. The result may break a rule, such as the least replica.lag.time.max.ms.
    """
    if not (math.isfinite(factor) and factor > 0):
        raise ValueError(factor)
    scaled: dict[str, Any] = _scaled(keys, factor)
    summary = _TIME.sub(
        lambda time: f"{float(time[1].replace(',', '')) * factor:,g} {time[2]}", keys["summary"]
    )
    return {**scaled, "summary": summary}


_TIME: Final = re.compile(r"\b(\d[\d,]*(?:\.\d+)?) (ms|s|min)\b")
"""A time in words, such as "25 s"."""


def _scaled(value: Any, factor: float) -> Any:
    """Return `value` with every number under a key in `_ms` multiplied."""
    if isinstance(value, list):
        return [_scaled(item, factor) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _times(item, factor) if key.endswith("_ms") else _scaled(item, factor)
        for key, item in value.items()
    }


def _times(value: Any, factor: float) -> Any:
    """Multiply a time, or the two bounds on one."""
    if isinstance(value, dict):
        return {key: item if key == "margin" else item * factor for key, item in value.items()}
    if not value:
        return 0
    return max(1, round(value * factor)) if value > 0 else min(-1, round(value * factor))


def builtin_names() -> list[str]:
    """Return the names of the scenarios that come with insync."""
    return list(builtin_files())


def source(name_or_path: str) -> str:
    """Return the TOML text of a built-in scenario or of a file."""
    try:
        return _find(name_or_path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"{name_or_path}: cannot be read: {reason}") from error


def keys_of(scenario: Scenario) -> dict[str, Any]:
    """Return the keys of a scenario's file, without those that have their default."""
    return scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def load(name_or_path: str, scale: float = 1.0) -> Scenario:
    """Return a built-in scenario or one from a file, with its times scaled."""
    return parse(source(name_or_path), name_or_path, scale)


def parse(text: str, origin: str, scale: float = 1.0) -> Scenario:
    """Return the scenario that `text` holds; `origin` names it in errors."""
    try:
        keys = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{origin}: invalid TOML: {error}") from error
    except RecursionError as error:
        raise InputError(
            f"{origin}: invalid TOML: brackets are nested too deeply, expected a scenario file"
        ) from error
    scenario = _checked(keys, origin)
    return scenario if scale == 1 else _scaled_by(keys, scale, origin)


def _scaled_by(keys: Mapping[str, Any], scale: float, origin: str) -> Scenario:
    """Return the scenario with its times scaled.

    Raises InputError that names the first problem, and the nearest scale that is allowed.
    """
    try:
        return _checked(scale_times(keys, scale), origin)
    except ValueError:
        expected = f"expected at {'most' if scale > 1 else 'least'}"
    except InputError as error:
        first = str(error).partition("\n")[0].removeprefix(f"{origin}: ")
        expected = f"{first}; the {'largest' if scale > 1 else 'smallest'} scale is"
    nearest = nearest_scale(partial(_is_allowed, keys), scale)
    raise InputError(f"{origin}: scale {scale:g}: {expected} {nearest:g}")


def _is_allowed(keys: Mapping[str, Any], scale: float) -> bool:
    try:
        _checked(scale_times(keys, scale), "")
    except InputError:
        return False
    return True


def _checked(keys: Mapping[str, Any], origin: str) -> Scenario:
    """Return the scenario with primitive faults only; raises InputError with all problems."""
    origins: Sequence[int] = ()
    try:
        faults, origins = expand(WrittenScenario.model_validate(keys))
        return Scenario.model_validate({**keys, "faults": faults})
    except ValidationError as error:
        problems = describe(error, origins)
        # Without origins no fault was expanded: look at each one that can be looked at alone.
        more = [] if origins else _of_faults(keys)
        raise _refused(origin, dict.fromkeys([*problems, *more])) from error


def _of_faults(keys: Mapping[str, Any]) -> list[str]:
    """Return the problems of single faults with the keys of their kinds."""
    written = keys.get("faults")
    found = []
    for index, fault in enumerate(written if isinstance(written, list) else ()):
        if isinstance(fault, dict):
            own = {key: value for key, value in fault.items() if key not in WRITTEN_KEYS}
            try:
                _ANY_FAULT.validate_python({"broker": 1, **own})
            except ValidationError as error:
                found += describe(error, within=("faults", index))
    return found


def _refused(origin: str, problems: Iterable[str]) -> InputError:
    return InputError("\n".join(f"{origin}: {problem}" for problem in problems))


def narrow(
    scenario: Scenario,
    *,
    arms: Sequence[str] | None = None,
    repeats: int | None = None,
    client: Client | None = None,
    default_timeouts: bool = False,
) -> Scenario:
    """Return the scenario with other arms, repeats or clients than those of its file.

    Control arms that are not run are still named, so that the verdict knows of them. With
    `default_timeouts` clients keep those of their library. Raises InputError.
    """
    # Among the arms of a file all control arms must be; among those of a run they need not.
    changed: dict[str, Any] = {**scenario.as_dict(), "control_arms": []}
    if client is not None:
        changed["workload"]["client"] = client
    if default_timeouts:
        changed["workload"].pop("client_timeout_ms", None)
    if arms is not None:
        changed["arms"] = arms
    if repeats is not None:
        changed["repeats"] = repeats
    try:
        narrowed = Scenario.model_validate(changed)
    except ValidationError as error:
        raise _refused(scenario.name, describe(error)) from error
    return narrowed.model_copy(update={"control_arms": scenario.control_arms})


def on_zookeeper(scenario: Scenario) -> Scenario:
    """Return the scenario with what is expected of brokers before KRaft."""
    expect = {**scenario.expect, **scenario.expect_on_zookeeper}
    return scenario.model_copy(update={"expect": expect, "expect_on_zookeeper": {}})


def on_version(scenario: Scenario, kafka: str) -> Scenario:
    """Return the scenario with what is expected of one Kafka version."""
    expect = {**scenario.expect, **scenario.expect_on.get(kafka, {})}
    return scenario.model_copy(update={"expect": expect, "expect_on": {}})


def _find(name_or_path: str) -> Traversable | Path:
    builtin = builtin_files()
    if name_or_path in builtin:
        return builtin[name_or_path]
    path = Path(name_or_path)
    if not path.exists():
        known, near = ", ".join(builtin), did_you_mean(name_or_path, builtin)
        raise InputError(
            f"{name_or_path}: no such scenario{near}, expected a file or one of: {known}"
        )
    return path


LEAST: Final = 1e-4
MOST: Final = 1e6
TRIED: Final = 20


def nearest_scale(is_allowed: Callable[[float], bool], refused: float) -> float:
    """Return an allowed scale between 1 and `refused`, with two digits; 1 is allowed.

    It is the one nearest to `refused` if all scales between it and 1 are allowed.
    """
    allowed = 1.0
    bound = LEAST if math.isnan(refused) else min(max(refused, LEAST), MOST)
    for _ in range(TRIED):
        middle = math.sqrt(allowed * bound)
        allowed, bound = (middle, bound) if is_allowed(middle) else (allowed, middle)
    upwards = allowed < 1
    for _ in range(TRIED):
        shown = _two_digits(allowed, upwards=upwards)
        if is_allowed(shown):
            return shown
        allowed = shown * (1.01 if upwards else 0.99)
    return 1.0


def _two_digits(value: float, *, upwards: bool) -> float:
    """Round to two digits, up or down."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    nearest = math.ceil(value / unit) if upwards else math.floor(value / unit)
    return float(f"{nearest * unit:.2g}")
