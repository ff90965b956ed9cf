"""Every table and figure of the paper, and what lies beyond it, by one command.

    python -m benchmarks paper [--only table1 lookahead …] [--quick] [--list]

A piece (one file in `pieces`, one line in its registry) is a list of cells, a function
that measures one of them, and functions that make a table or a plot of the results.
"""
