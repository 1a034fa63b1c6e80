"""What a run leaves for a reader: the pytest plugin with its gate, the ledger's table, and the HTML report."""
