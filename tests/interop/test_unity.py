"""The C# scripts for Unity, compiled against the names and signatures of its scripting reference."""

import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from mocapella.exporting.targets import TARGETS

REFERENCE = Path(__file__).with_name("unity.cs")


def compiled(folder, *options, change=("", "")):
    """What Mono's compiler says about the scripts."""
    compiler = shutil.which("mcs")
    if compiler is None:
        pytest.skip("needs Mono's C# compiler: apt-get install mono-mcs")
    for name in TARGETS["unity"].scripts:
        text = files("mocapella.exporting").joinpath("scripts", f"{name}.txt").read_text()
        (folder / name).write_text(text.replace(*change))
    words = [compiler, "-nologo", "-warnaserror+", "-target:library", f"-out:{folder / 'x.dll'}", *options]
    sources = [REFERENCE, *folder.glob("*.cs")]
    done = subprocess.run([*words, *map(str, sources)], capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("where", [("-define:UNITY_EDITOR",), ()], ids=["the editor", "a game"])
def test_the_scripts_compile_for(where, tmp_path):
    assert compiled(tmp_path, *where) == ""


def test_a_name_that_unity_does_not_have_is_found(tmp_path):
    said = compiled(tmp_path, "-define:UNITY_EDITOR", change=("blendParameterY", "blendParameterZ"))
    assert "CS1061" in said
