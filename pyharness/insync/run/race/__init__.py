"""A repeat that puts two threads of a broker in a chosen order, at named points of its code."""
