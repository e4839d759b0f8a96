"""Rebalancing: the same number of synthetic positives and negatives for every class, however rare.

``synthetic.py`` draws which items are mixed, ``simple_sampling.py`` and ``hard_mixup.py`` are its two sources,
``schedule.py`` shares the samples between them, ``similarity.py`` turns a plan into similarities in Gram
space. Beside SharpReCL's own: ``class_balanced.py`` draws texts with every class equally likely, ``curriculum.py`` easy
texts first.
"""
