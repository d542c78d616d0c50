"""A scenario as in its file: faults may name roles, repeat, and rise in steps.

    target = "followers of 0"     a role instead of `broker`
    every_ms = 2_000, times = 3   the fault three times
    ramp = 4                      the fault in four steps, each stronger than the one before

Here these keys are checked, and `expand.py` makes primitive faults of them; the keys of a
fault's kind are left alone until then.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Final, Self

from pydantic import ConfigDict, Field, model_validator

from insync.faults.registry import KINDS
from insync.faults.spec import OnAnyProcess, OnProcess, Planned
from insync.fields import Part, Span, Time, broken, check_all
from insync.scenario import roles, rules
from insync.scenario.model import MOST_FAULTS, Frame

Several = Annotated[int, Field(ge=2, le=MOST_FAULTS)]
WRITTEN_KEYS: Final = ("target", "every_ms", "times", "ramp")


class FaultSpec(Part):
    """A fault as in its file: the keys of its kind, and those that all kinds may have."""

    model_config = ConfigDict(extra="allow")

    kind: Any = None
    at_ms: Time
    for_ms: Span | None = None
    target: str | None = None
    every_ms: Span | None = None
    times: Several | None = None
    ramp: Several | None = None

    @property
    def model(self) -> type[Planned] | None:
        """The model of its kind; None for an unknown kind, which is rejected later."""
        known = isinstance(self.kind, str) and self.kind in KINDS
        return KINDS[self.kind].spec if known else None

    @property
    def topic(self) -> str | None:
        """The topic that it is about, unless that is the workload's."""
        found = (self.model_extra or {}).get("topic")
        return found if isinstance(found, str) else None

    @property
    def moves_leaders(self) -> bool:
        """Whether its kind gives partitions another leader."""
        return self.model is not None and KINDS[self.kind].tags.moves_leaders

    @property
    def primitive(self) -> dict[str, Any]:
        """Its keys without those that only a file may have."""
        return self.model_dump(exclude=set(WRITTEN_KEYS), exclude_unset=True)

    @property
    def intensity(self) -> dict[str, float]:
        """The keys that a ramp raises, with their values."""
        names = self.model.intensity if self.model else ()
        given = {name: (self.model_extra or {}).get(name) for name in names}
        return {
            name: value
            for name, value in given.items()
            if isinstance(value, int | float) and value > 0
        }

    @model_validator(mode="after")
    def _check(self) -> Self:
        model = self.model
        if model is not None:
            check_all(
                lambda: self._check_target(model),
                self._check_times,
                lambda: self._check_ramp(model),
            )
        return self

    def _check_target(self, model: type[Planned]) -> None:
        broker = (self.model_extra or {}).get("broker")
        if self.target is None:
            if broker is None:
                raise broken("broker", broker, "a broker, or a target instead")
            return
        if broker is not None:
            raise broken("target", self.target, "none beside broker")
        role = roles.parse(self.target)
        if role is None:
            raise broken("target", self.target, roles.TARGETS)
        needed = {"controller": OnProcess, "active controller": OnAnyProcess}.get(role.kind, model)
        if not issubclass(model, needed):
            on = [name for name, kind in KINDS.items() if issubclass(kind.spec, needed)]
            raise broken("target", self.target, f"a broker, or one of the kinds {', '.join(on)}")

    def _check_times(self) -> None:
        if self.every_ms is None and self.times is None:
            return
        if self.moves_leaders:
            raise broken("every_ms", self.every_ms, "none: a partition is elected once")
        if self.times is None:
            raise broken("times", self.times, "how often it is done, with every_ms")
        if self.every_ms is None:
            raise broken("every_ms", self.every_ms, "the time from one to the next, with times")
        if self.every_ms < (self.for_ms or 0):
            raise broken("every_ms", self.every_ms, f"at least for_ms, which is {self.for_ms}")

    def _check_ramp(self, model: type[Planned]) -> None:
        if self.ramp is None:
            return
        if not self.intensity:
            keys = " or ".join(model.intensity)
            expected = f"{keys}, to which it rises" if keys else f"none for kind '{self.kind}'"
            raise broken("ramp", self.ramp, expected)
        if (self.for_ms or 0) < self.ramp:
            raise broken("ramp", self.ramp, f"at most for_ms, which is {self.for_ms}")


class WrittenScenario(Frame):
    """A scenario with its faults as in the file."""

    faults: Annotated[tuple[FaultSpec, ...], Field(strict=False, max_length=MOST_FAULTS)] = ()

    @model_validator(mode="after")
    def _check_roles(self) -> Self:
        for index, fault in enumerate(self.faults):
            role = roles.parse(fault.target or "")
            count = len(self.topics.get(fault.topic, self.workload.leaders))
            if role and role.kind in roles.OF_PARTITIONS and role.number >= count:
                expected = f"a partition from 0 to {count - 1}"
                raise broken(f"faults[{index}].target", fault.target, expected)
        return self

    @model_validator(mode="after")
    def _check_expected(self) -> Self:
        check_all(
            *(partial(rules.check_expected, *each, self.arms) for each in self._expected_arms())
        )
        return self

    def _expected_arms(self) -> Iterator[tuple[str, str]]:
        """Yield each arm of which something is expected, with its key before it."""
        for name, expect in (
            ("expect", self.expect),
            ("expect_on_zookeeper", self.expect_on_zookeeper),
            *((f"expect_on.{kafka}", expect) for kafka, expect in self.expect_on.items()),
        ):
            yield from ((f"{name}.{arm}", arm) for arm in expect)
        for index, each in enumerate(self.compare):
            yield f"compare[{index}].arm", each.arm
            yield f"compare[{index}].against", each.against
