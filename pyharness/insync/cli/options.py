"""Make options of the fields of what a command is asked, and define those that several share.

A field that is annotated with words is an option: `Annotated[TYPE, "help"]`. A word `--name` names
it, if its field does not; a function converts its text. A field without a default and without
such a name is an argument.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import typer

from insync.brokers.kafka.builds import exact
from insync.engines import AnalysisOptions, conf_of, require_engine, require_master
from insync.extras import require_analysis
from insync.outcome import Outcome
from insync.run.request import KAFKA_HELP

BAD_INPUT: Final = 2
UNKNOWN: Final = Outcome.UNKNOWN.exit_code
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, text on stderr.")
]
KafkaOption = Annotated[str, typer.Option("--kafka", help=KAFKA_HELP, callback=exact)]


def flat(command: Callable[..., int]) -> Callable[..., int]:
    """Replace each parameter of a command that is a dataclass by the fields that are options.

    `Annotated[CLASS, "field", ...]` takes only some of the fields.
    """
    classes: dict[str, Any] = {}
    flattened: list[inspect.Parameter] = []
    for each in inspect.signature(command, eval_str=True).parameters.values():
        kind, *only = get_args(each.annotation) or (each.annotation,)
        if is_dataclass(kind):
            classes[each.name] = (kind, only)
            flattened += _parameters(kind, only)
        else:
            flattened.append(each.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**given: Any) -> int:
        made = {name: _made(kind, only, given) for name, (kind, only) in classes.items()}
        return command(**made, **given)

    run.__signature__ = inspect.Signature(flattened)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in flattened}
    return run


def _options(kind: Any, only: Collection[str]) -> Iterator[tuple[Field[Any], Any]]:
    """Yield the fields of a dataclass that are options, or have such, and their types."""
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        hint = hints[each.name]
        is_option = get_origin(hint) is Annotated or is_dataclass(hint)
        if is_option and (not only or each.name in only):
            yield each, hint


def _parameters(kind: Any, only: Collection[str] = ()) -> Iterator[inspect.Parameter]:
    for each, hint in _options(kind, only):
        if is_dataclass(hint):
            yield from _parameters(hint)
            continue
        base, *said = get_args(hint)
        default = each.default
        if get_origin(base) is Mapping:
            base, default = list[str] | None, None
        elif str in get_args(base) or any(map(callable, said)):
            base = str | None if NoneType in get_args(base) else str
        if isinstance(default, tuple):
            default = ",".join(default)
        help_ = next(word for word in said if not callable(word) and not word.startswith("--"))
        is_argument = default is MISSING and _named(hint) is None
        about = (
            typer.Argument(help=help_)
            if is_argument
            else typer.Option(_name(each, hint), help=help_)
        )
        yield inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[base, about],
            default=inspect.Parameter.empty if default is MISSING else default,
        )  # fmt: skip


def _named(hint: Any) -> str | None:
    """Return the name of an option that is written in its type, if there is one."""
    return next((word for word in get_args(hint)[1:] if str(word).startswith("--")), None)


def _name(field: Field[Any], hint: Any) -> str:
    return _named(hint) or f"--{field.name.replace('_', '-')}"


def _made(kind: Any, only: Collection[str], given: dict[str, Any]) -> Any:
    """Return a dataclass of what was given of its fields, which is taken out of `given`."""
    made = {}
    for each, hint in _options(kind, only):
        if is_dataclass(hint):
            made[each.name] = _made(hint, (), given)
        else:
            made[each.name] = _converted(hint, _name(each, hint), given.pop(each.name))
    return kind(**made)


def _converted(hint: Any, name: str, value: Any) -> Any:
    base, *said = get_args(hint)
    if get_origin(base) is Mapping:
        return conf_of(value or (), name)
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
