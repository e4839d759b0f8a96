"""Is the difference between two methods more than luck? Arrays in, small frozen values out, nothing of runs or plans.

===================== =============================================================================================
file                  question
===================== =============================================================================================
paired_bootstrap.py   would the difference hold on other test texts, and, if seeds are drawn too, for other trainings?
with_the_best.py      which of many systems may be the best one, whoever came out first?
holm.py               many of these at once: p-values of a whole table, adjusted
===================== =============================================================================================

How often they cry wolf is measured by ``benchmarks/significance_null.py``. Average ranks over columns are in
``evaluation/ranks.py``. ``resampler.py`` draws test sets for two of them.
"""
