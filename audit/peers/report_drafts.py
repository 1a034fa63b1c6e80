def write_drafts(folder):
    return [folder / "x"]
