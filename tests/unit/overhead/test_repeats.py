"""Repeats take turns."""

from insync.overhead.repeats import in_turn


def test_every_repeat_starts_with_another_item() -> None:
    assert list(in_turn("ab", 3)) == [(0, "a"), (0, "b"), (1, "b"), (1, "a"), (2, "a"), (2, "b")]
    assert [item for _, item in in_turn("abc", 3)] == [*"abc", *"bca", *"cab"]
