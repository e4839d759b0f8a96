"""Texts and their labels: read and checked at the door, sampled, split, counted, and cut into batches.

- Own data: ``tables`` (``read_table``, ``read_rows``, ``TextTable``), ``writers`` (``write_predictions``), ``labels``
  (``typed_table``). ``sources`` makes raw tables of any file, pipe or frame, ``checks`` says which rows are unfit.
- Block by block: ``row_stream`` (``RowStream``), ``formats`` (``format_of``), ``unfinished`` (``Unfinished``).
- The paper's data sets: ``benchmarks`` (``load_benchmark``), ``statistics`` (``split_statistics``), ``comparison``.
- Samples: ``imbalance`` (``imbalanced_subset``), ``splits`` (``stratified_split``), ``folds`` (``deal_folds``),
  ``augmented`` (copies stay with their originals), ``leaks`` (``find_leaks``), ``fingerprints``.
- Batches: ``tokens`` (``tokenize``), ``batches`` (``ShuffledBatches``), ``packing`` (``lay_out``),
  ``batch_statistics`` (what a batch holds of each class).

Nothing is imported here, so that a command that reads no data waits for none of it.
"""
