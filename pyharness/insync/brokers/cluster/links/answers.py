"""Act on single answers of a node: never pass them on, delay or change them, or reset.

The requests of a connection say which answers are meant: an answer has its request's number, and a
node answers the requests of a connection in order. Only one event loop may use these classes; any
thread may read the counts of a rule.
"""

import asyncio
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal

Places = Callable[[int, bytes], Sequence[int]]
"""Returns where an answer has the error codes to change; gets the version of its API."""
Makes = Callable[[int, bytes], bytes]
"""Returns an answer to a request; gets the version of its API."""

_REQUEST: Final = struct.Struct(">ihhi")  # length, API, its version, number
_ANSWER: Final = struct.Struct(">ii")  # length, number of the request
_CODE: Final = struct.Struct(">h")


class ResetError(ConnectionError):
    """The connection is to be reset."""


@dataclass(kw_only=True, slots=True)
class AnswerRule:
    """What happens to some answers of a node, and what did.

    Args:
        api: the number of the API.
        asked_by: whose calls count, by the number of the node; 0 is anybody else.
        from_call: which call is the first, counted from when the rule begins.
        calls: on how many calls it acts.
        delay_s: how long the answer, and all behind it on its connection, is delayed.
        processed: with mode "reset" or "error", whether the node gets the request.
        places: with mode "error", where to write `code`; an answer without places is not acted on.
        makes: with mode "error", makes the answer to a request that the node does not get.

    Attributes:
        came: the calls that came.
        acted: on how many it acted.
        version: of the API, at the first of these.
        first_at: when it acted on that, by the monotonic clock.
        longest_ms: the longest delay.

    """

    api: int
    mode: Literal["drop", "delay", "reset", "error"]
    asked_by: Callable[[int], bool] = lambda _: True
    from_call: int = 1
    calls: int = 1
    delay_s: float = 0.0
    processed: bool = True
    places: Places = lambda _, __: ()
    makes: Makes = lambda _, __: b""
    code: int = 0
    came: int = 0
    acted: int = 0
    version: int = 0
    first_at: float = 0.0
    longest_ms: float = 0.0
    _awaited: int = 0
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    async def end(self) -> None:
        """Act on no more answers; what is delayed passes, and who waits in vain is disconnected."""
        self._over.set()

    def is_for(self, api: int, asked_by: int) -> bool:
        """Count a call; return whether its answer is one to act on."""
        if api != self.api or not self.asked_by(asked_by) or self._over.is_set():
            return False
        self.came += 1
        return self.came >= self.from_call and self.acted + self._awaited < self.calls

    def take(self, version: int, request: bytes) -> bytes | None:
        """Return the answer to a call; None if the node's is awaited; raises ResetError."""
        if not self.processed and self.mode == "reset":
            self._act(version)
            raise ResetError
        made = None if self.processed else self._changed(self.makes(version, request), version)
        self._awaited += made is None
        return made

    def missed(self) -> None:
        """Note that an answer will not come: its connection has ended."""
        self._awaited -= 1

    async def treat(self, answer: bytes, version: int, came_at: float) -> bytes:
        """Return what is passed on of an answer, when it is; raises ResetError."""
        self._awaited -= 1
        if self._over.is_set():
            return answer
        if self.mode == "error":
            return self._changed(answer, version) or answer
        self._act(version)
        if self.mode == "delay":
            with suppress(TimeoutError):
                async with asyncio.timeout(came_at + self.delay_s - time.monotonic()):
                    await self._over.wait()
            self.longest_ms = max(self.longest_ms, (time.monotonic() - came_at) * 1000)
            return answer
        if self.mode == "drop":
            await self._over.wait()
        raise ResetError

    def _changed(self, answer: bytes, version: int) -> bytes | None:
        """Return an answer with the code; None if it has no place for that."""
        places = self.places(version, answer)
        if not places:
            return None
        self._act(version)
        changed = bytearray(answer)
        for place in places:
            _CODE.pack_into(changed, place, self.code)
        return bytes(changed)

    def _act(self, version: int) -> None:
        if self.acted == 0:
            self.version, self.first_at = version, time.monotonic()
        self.acted += 1


@dataclass
class Conversation:
    """The requests and answers of one connection; `rules` may change meanwhile.

    `tell` writes an answer that the node did not make, if nothing else has to come before it.
    """

    asked_by: int
    rules: Sequence[AnswerRule]
    tell: Callable[[bytes], None]
    _taken: dict[int, tuple[AnswerRule, int]] = field(default_factory=dict)
    _after: dict[int, bytes] = field(default_factory=dict)
    """By the number of each request that the node has: what is answered right after it."""

    async def request(self, message: bytes, _: float) -> bytes:
        """Return a request, with its length, as it is passed on; raises ResetError."""
        if len(message) >= _REQUEST.size:
            _, api, version, number = _REQUEST.unpack_from(message)
            for rule in [each for each in self.rules if each.is_for(api, self.asked_by)][:1]:
                if (made := rule.take(version, message)) is not None:
                    self._answer_last(made)
                    return b""
                self._taken[number] = rule, version
            self._after[number] = b""
        return message

    def _answer_last(self, answer: bytes) -> None:
        """Answer after all requests that came before."""
        if self._after:
            self._after[next(reversed(self._after))] += answer
        else:
            self.tell(answer)

    async def answer(self, message: bytes, came_at: float) -> bytes:
        """Return an answer, with its length, as it is passed on; raises ResetError."""
        if len(message) >= _ANSWER.size:
            number = _ANSWER.unpack_from(message)[1]
            rule, version = self._taken.pop(number, (None, 0))
            if rule is not None:
                message = await rule.treat(message, version, came_at)
            message += self._after.pop(number, b"")
        return message

    def end(self) -> None:
        """Note that no more answers come."""
        for rule, _ in self._taken.values():
            rule.missed()
        self._taken.clear()
