"""Turns a run's tables and its scenario's expectations into pass, fail or unknown.

Pure Python: no Spark, no broker. `repeat_facts` computes the facts from the tables, `decide`
judges them, and the cells of a matrix.
"""
