"""Tables of units: what each was given and how it divides its work."""
