"""Finds which broker is slow, and why: sources -> facts -> rules -> answer.

A source is a file of `sources/`: `recorded` (a run's folder), `live` (the topic of the agents),
`jmx` (stock brokers), `logs` (log files of stock brokers, and `prometheus` beside them). It fills
`facts.Facts`, with `agent_lines` and `controller_lines` where it has such lines, and
`infer.answer_of` draws the conclusions. Nothing here knows which fault a run injected: that is the
answer by which it is judged, and `tests/unit/why/test_recorded.py` replaces it by lies.
"""
