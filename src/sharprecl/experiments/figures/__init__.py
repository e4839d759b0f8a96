"""Figures of a plan, from what is stored: for print and for the results page.

================= ==========================================================================
file              figure
================= ==========================================================================
curves.py         figures over a setting, with bands over seeds: mu, tau, the size of hard sets
clusters.py       t-SNE of the test texts, method by method
distribution.py   training texts of each class, data set by data set
frequency.py      F1 of each class over its training texts, method by method
cost.py           macro-F1 over training seconds, with what no other method beats in both
ranks.py          average ranks with the critical difference
================= ==========================================================================
"""
