"""A repeat's own seed, and the times that it decides before anything is produced."""

from insync.run.repeat import jitter_ms
from insync.scenario.load import load


def test_the_seed_decides_how_much_later_faults_begin() -> None:
    late = [jitter_ms(seed, 400) for seed in range(200)]
    assert late == [jitter_ms(seed, 400) for seed in range(200)]
    assert 0 <= min(late) < 50
    assert 350 < max(late) <= 400
    assert jitter_ms(3, 0) == 0


def test_the_window_is_scaled_like_all_times() -> None:
    assert load("transactions").timeline.jitter_ms == 2_000
    assert load("transactions", 0.2).timeline.jitter_ms == 400
