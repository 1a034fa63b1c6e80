"""Every mechanism that can release with a guarantee, as the audits of releases take it; see `subjects`."""
