"""Proofs in a kernel: propositions of traced statements, the theorems about them, and the certificate of a check.

The files of the proofs stand under `proofs_checks/kernel`. Everything here but the check itself runs without Rocq.
"""
