"""Options that commands share, apart by what they have to import."""
