"""Searches for settings, and work on more than one machine.

``space``       what is tried of which setting, checked without PyTorch
``trial``       one trial: settings in, out-of-fold answers and their macro-F1 out; whatever schedules trials calls this
``study``       which trials to make, which to stop, what mattered: Optuna, in a journal that survives kills
``search``      all trials one after the other, on one machine
``fresh``       the best settings and the defaults once more, on folds that chose nothing
``page``        what was found, as an HTML page
``cluster``     the Ray cluster to work on
``ray_worker``  runs of a sweep as Ray actors
"""
