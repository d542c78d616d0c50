"""Make options of what a command is asked, and define those that several share.

A parameter, or a field of one that is a dataclass, is an option if it is annotated with words:
`Annotated[TYPE, "help"]`. A word `--name` names it, if its own name does not; a function converts
its text. Without a default and such a name it is an argument.
"""

import inspect
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import typer

from insync.engines import (
    AnalysisOptions,
    conf_of,
    require_analysis,
    require_engine,
    require_master,
)
from insync.outcome import Outcome

BAD_INPUT: Final = 2
UNKNOWN: Final = Outcome.UNKNOWN.exit_code
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, text on stderr.")
]
GIVEN: ContextVar[Sequence[str]] = ContextVar("GIVEN", default=())
"""The arguments of the command line."""


def repeated() -> str:
    """Return the command that was given, as it is given to get its result again elsewhere."""
    left, kept = iter(GIVEN.get()), ["insync"]
    for word in left:
        if word == "--out":
            next(left, None)
        elif word not in ("--resume", "--json") and not word.startswith("--out="):
            kept.append(word)
    return shlex.join(kept)


def flat(command: Callable[..., int]) -> Callable[..., int]:
    """Replace each parameter of a command that is a dataclass by the fields that are options.

    `Annotated[CLASS, "field", ...]` takes only some of the fields.
    """
    classes: dict[str, Any] = {}
    alone: dict[str, Any] = {}
    flattened: list[inspect.Parameter] = []
    for each in inspect.signature(command, eval_str=True).parameters.values():
        kind, *only = get_args(each.annotation) or (each.annotation,)
        if is_dataclass(kind):
            classes[each.name] = (kind, only)
            flattened += _parameters(kind, only)
        elif _is_option(each.annotation):
            alone[each.name] = each.annotation
            flattened.append(_parameter(each.name, each.annotation, each.default))
        else:
            flattened.append(each.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**given: Any) -> int:
        made = {name: _made(kind, only, given) for name, (kind, only) in classes.items()}
        made |= {name: _converted(name, hint, given.pop(name)) for name, hint in alone.items()}
        return command(**made, **given)

    run.__signature__ = inspect.Signature(flattened)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in flattened}
    return run


def _is_option(hint: Any) -> bool:
    return get_origin(hint) is Annotated and any(isinstance(each, str) for each in get_args(hint))


def _options(kind: Any, only: Collection[str]) -> Iterator[tuple[Field[Any], Any]]:
    """Yield the fields of a dataclass that are options, or have such, and their types."""
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        hint = hints[each.name]
        if (_is_option(hint) or is_dataclass(hint)) and (not only or each.name in only):
            yield each, hint


def _parameters(kind: Any, only: Collection[str] = ()) -> Iterator[inspect.Parameter]:
    for each, hint in _options(kind, only):
        if is_dataclass(hint):
            yield from _parameters(hint)
        else:
            default = inspect.Parameter.empty if each.default is MISSING else each.default
            yield _parameter(each.name, hint, default)


def _parameter(name: str, hint: Any, default: Any) -> inspect.Parameter:
    base, *said = get_args(hint)
    is_argument = default is inspect.Parameter.empty and _named(hint) is None
    if get_origin(base) is Mapping:
        base, default, is_argument = list[str] | None, None, False
    elif str in get_args(base) or any(map(callable, said)):
        base = str | None if NoneType in get_args(base) else str
    if isinstance(default, tuple):
        default = ",".join(default)
    help_ = next(word for word in said if not callable(word) and not word.startswith("--"))
    about = (
        typer.Argument(help=help_) if is_argument else typer.Option(_name(name, hint), help=help_)
    )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[base, about], default=default
    )


def _named(hint: Any) -> str | None:
    """Return the name of an option that is written in its type, if there is one."""
    return next((word for word in get_args(hint)[1:] if str(word).startswith("--")), None)


def _name(name: str, hint: Any) -> str:
    return _named(hint) or f"--{name.replace('_', '-')}"


def _made(kind: Any, only: Collection[str], given: dict[str, Any]) -> Any:
    """Return a dataclass of what was given of its fields, which is taken out of `given`."""
    made = {}
    for each, hint in _options(kind, only):
        if is_dataclass(hint):
            made[each.name] = _made(hint, (), given)
        else:
            made[each.name] = _converted(each.name, hint, given.pop(each.name))
    return kind(**made)


def _converted(name: str, hint: Any, value: Any) -> Any:
    base, *said = get_args(hint)
    if get_origin(base) is Mapping:
        return conf_of(value or (), _name(name, hint))
    convert = next((word for word in said if callable(word)), None)
    return value if convert is None or value is None else convert(value)


def print_help_alone(context: typer.Context) -> None:
    """Print the help of a group of commands if none was named, and exit with 2, as typer does."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(BAD_INPUT)


def require(command: str, analysis: AnalysisOptions, instead: str = "") -> None:
    """Check that what a command needs to analyse is installed and answers.

    Raises InputError, and InsyncError for a Spark master that does not answer. `instead` is what
    works without it.
    """
    require_analysis(command, instead)
    require_engine(analysis)
    if analysis.master is not None:
        require_master(analysis.master)
