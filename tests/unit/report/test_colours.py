"""The report's colours: text is readable on its background, in the light and the dark scheme."""

import re
from importlib.resources import files

import pytest

LEAST = 4.5
"""WCAG 2.2, 1.4.3: the least contrast of text."""

ON_PAPER = ("ink", "muted", "fault-ink", "pass", "fail", "unknown", "observed", "link")
TEXTS = [
    *((name, ground) for name in ON_PAPER for ground in ("paper", "soft")),
    *((f"on-{state}", state) for state in ("full", "reduced", "under", "offline")),
]
"""The colours of texts, each with that of its ground: the page, or a bar."""
STYLE = files("insync.report").joinpath("assets", "page.css").read_text(encoding="utf-8")


def colours(scheme: str) -> dict[str, str]:
    light, dark = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    return dict(
        re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light + (dark if scheme == "dark" else ""))
    )


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mix(colour: str, ground: str, share: float) -> list[float]:
    """Return red, green and blue of a translucent colour on its background."""
    pairs = ((int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5))
    return [share * over + (1 - share) * under for over, under in pairs]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_follows_wcags_formula() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "ground"), TEXTS)
def test_text_is_readable(scheme: str, name: str, ground: str) -> None:
    found = colours(scheme)
    assert contrast(found[name], found[ground]) >= LEAST


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_the_shaded_area_of_a_fault(scheme: str) -> None:
    found = colours(scheme)
    shade = "".join(f"{round(mixed):02x}" for mixed in mix(found["fault"], found["paper"], 0.2))
    assert contrast(found["fault-ink"], f"#{shade}") >= LEAST
