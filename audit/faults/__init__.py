"""One-line faults in what releases, and the audits that must object to each."""
