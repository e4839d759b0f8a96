"""Runs: what one is to do, how it is made, and the folder that keeps what came of it.

spec.py     what a run is to do, fit to be handed to another process or machine
data.py     the texts that it is trained and judged on
execute.py  train, answer the test texts, judge the answers: the runs of experiments, which keep no model
run.py      what ``sharprecl train`` is to do
claim.py    whose an output folder is
train.py    such a run, which keeps the model and all that is known of it
judge.py    a trained classifier judged on labelled texts, beside the floors that it should beat
record.py   what is known of a run afterwards
folder.py   a run's files on the disk, its state and its lock
code.py     which code a result comes from
"""
