"""Tests in programs that are too large for every run; ``make interop`` runs them."""

import os

if not os.environ.get("MOCAPELLA_INTEROP"):
    collect_ignore_glob = ["test_*.py"]
