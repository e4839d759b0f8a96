"""Whole experiments: plans of many runs, a store that never repeats one, tables and figures from what is stored."""
