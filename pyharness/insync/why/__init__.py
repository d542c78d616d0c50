"""Finds which broker is slow, and why, from what agents, controller and clients recorded.

Nothing here knows which fault a run injected: that is the answer by which it is judged.
`tests/unit/why/test_blind.py` guards this.
"""
