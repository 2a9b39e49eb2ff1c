"""Write a digest of every outcome, or compare with the digests of another checkout on the same machine."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from tests.conftest import find_data
from tests.golden.outcomes import digests, outcomes


def main(path: Path, *, summary: bool) -> int:
    data = find_data()
    if data is None:
        print("no real captures: neither $MOCAPELLA_DATA nor ../shared/data is a folder")
        return 1
    if summary:
        with tempfile.TemporaryDirectory() as name:
            brief = {key: outcome.summary for key, outcome in outcomes(data, Path(name), small=True)}
        path.write_text(json.dumps(brief, ensure_ascii=False))
        return 0
    # One name in every run: stored networks name their sources.
    folder = Path(tempfile.gettempdir()) / "mocapella-golden"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    found = digests(data, folder, print)
    if not path.exists():
        path.write_text(json.dumps(found, indent=1) + "\n")
        return 0
    before = json.loads(path.read_text())
    differing = sorted(name for name in {*before, *found} if before.get(name) != found.get(name))
    print(f"{len(found) - len(differing)} of {len(found)} outcomes equal", *differing, sep="\n  ")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[-1]), summary="--summary" in sys.argv))
