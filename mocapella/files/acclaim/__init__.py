"""ASF and AMC files."""
