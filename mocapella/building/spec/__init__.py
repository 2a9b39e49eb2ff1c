"""Networks described in TOML files."""
