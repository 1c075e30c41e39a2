"""Fuzzers: what a stranger hands us, changed at random, must end in an answer or a clear refusal.

The tests run a few mutants of each kind. By hand, for as long as one likes:

    python -m tests.fuzz --mutants 1000 --seed 7
    python -m tests.fuzz files cards --mutants 200
"""
