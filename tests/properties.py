"""Sets how many examples a slow property tries, by Hypothesis's profile."""

from hypothesis import HealthCheck, Phase, settings

THOROUGH = "thorough"
"""The profile of `make test-all`, which HYPOTHESIS_PROFILE selects."""

_TIMES = 10


def slow_property(few: int) -> settings:
    """Return settings that try `few` examples, and ten times as many in the profile `thorough`.

    An example takes seconds. So a failing one is printed as it is: to shrink it would take minutes.
    """
    thorough = settings.get_current_profile_name() == THOROUGH
    return settings(
        max_examples=few * _TIMES if thorough else few,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
