"""Parts of `alternatives`: the search, the table of a node, the tree of a choice."""
