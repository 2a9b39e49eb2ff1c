"""Print every figure, or those whose name holds one of the words given: ``python -m benchmarks files``."""

from __future__ import annotations

import importlib
import pkgutil
import platform
import sys

import benchmarks


def main(words: list[str]) -> None:
    """Run the benchmarks and print their rows."""
    names = [m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name.startswith("bench_")]
    chosen = [name for name in names if not words or any(word in name for word in words)]
    if not chosen:
        raise SystemExit(f"expected some of {', '.join(name.removeprefix('bench_') for name in names)}")
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
    for name in chosen:
        print(f"\n{name.removeprefix('bench_')}")
        for row in importlib.import_module(f"benchmarks.{name}").rows():
            print(f"  {row.name:54}{row.value:12,.2f} {row.unit}")
            for word, text in (("peer", row.peer), ("published", row.published)):
                if text:
                    print(f"{'':8}{word}: {text}")


if __name__ == "__main__":
    main(sys.argv[1:])
