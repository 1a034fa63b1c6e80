"""Small projects for documents of one's own, judged by the same gate and shown in the same report."""
