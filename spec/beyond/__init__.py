"""What the project adds to the documents: mechanisms with less noise, and what is claimed of them.

Nothing here is stated by a document. The claims are judged as the documents' are: by evidence, with controls.
"""
