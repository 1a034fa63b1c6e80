"""How an audit goes about its work: options, sizes that fit into a time, and the conditions in words."""
