"""Units: their children, files and targets, made from the store."""
