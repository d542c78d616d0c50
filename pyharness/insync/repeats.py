"""The numbers of repeats: files, tables and events count them from 0, texts for people from 1."""


def repeat_number(repeat: int) -> int:
    """Return a repeat's number for people; the first one is 1."""
    return repeat + 1


def repeat_words(repeat: int) -> str:
    """Return a repeat's name for people, such as "repeat 1" for `produce-0.jsonl`."""
    return f"repeat {repeat_number(repeat)}"
