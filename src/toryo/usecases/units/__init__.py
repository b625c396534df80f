"""Units: spawn a tree, spawn children, look at a tree, steer it."""
