"""Many trainings towards one model.

space.py   what is tried of which setting, checked without PyTorch
trial.py   one trial: settings in, out-of-fold answers and their macro-F1 out; whatever schedules trials calls this
study.py   which trials to make, which to stop, what mattered: Optuna, in a journal that survives kills
search.py  all trials one after the other, on one machine
fresh.py   the best settings and the defaults once more, on folds that chose nothing
page.py    what was found, as an HTML page
"""
