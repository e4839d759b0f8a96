"""Whole experiments: plans of many runs, a store that never repeats one, tables and figures from what is stored.

**To run**: ``plan_file.load_plan`` reads which methods are compared on which data, ``sweep`` makes the missing runs,
``store.Store`` keeps them in a folder each, ``exchange.export`` and ``merge`` carry them elsewhere.

**To show**, from records to a page, each step from the one before it:

=============== ====================================================================================================
module          public names
=============== ====================================================================================================
``collection``  ``Records``: what runs leave behind, wherever it was read from
``results``     ``make_table``: a plan's lines and columns, and what the seeds of each ``Cell`` came to
``comparisons`` ``compare_rows``, ``rank_lines``: how sure the differences are
``published``   ``compare_with_published``: the cells that the paper prints, beside ours
``tables``      ``make_document``: sheets with ``footnotes``, a ``summary`` in words, every number in ``long_form``
``formats``     ``write_document``: Markdown, LaTeX, HTML, CSV
``figures``     ``figures_of``: SVG and PNG
``page``        ``make_section``, ``write_page``: all of it on one page
``verify``      ``check_records``, ``check_tables``: computed anew and compared
=============== ====================================================================================================
"""
