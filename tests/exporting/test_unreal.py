"""The script for Unreal's editor, run with a module that has the classes and properties of Epic's Python reference."""

import json
import runpy
import sys
from types import ModuleType

import pytest

import mocapella as mo
from mocapella.exporting.grid import blend_grid
from mocapella.exporting.targets import export_grid

# What the reference of 5.0 to 5.7 lists as read-write, of the classes that the script uses.
PROPERTIES = {
    "AssetImportTask": {"automated", "destination_name", "destination_path", "factory", "filename", "options",
                        "replace_existing", "replace_existing_settings", "save"},
    "BlendParameter": {"display_name", "grid_num", "max", "min", "snap_to_grid", "wrap_input"},
    "BlendSample": {"animation", "rate_scale", "sample_value"},
    "BlendSpace": {"axis_to_scale_animation", "blend_parameters", "interpolate_using_grid", "sample_data"},
    "BlendSpaceFactoryNew": {"preview_skeletal_mesh", "target_skeleton"},
    "AnimSequence": {"enable_root_motion", "force_root_lock", "interpolation", "loop"},
    "Skeleton": set(),
}  # fmt: skip


class Thing:
    """An object or struct of Unreal: properties that the reference does not have are refused, as there."""

    def __init__(self, name=""):
        self.name, self.set = name, {}

    def set_editor_property(self, name, value):
        if name not in PROPERTIES[type(self).__name__]:
            raise AttributeError(f"{type(self).__name__} has no property {name}")
        self.set[name] = value

    def get_editor_property(self, name):
        assert name in PROPERTIES[type(self).__name__]
        return self.set[name]

    def get_name(self):
        return self.name

    def get_path_name(self):
        return f"/Game/Mocapella/{self.name}.{self.name}"


@pytest.fixture
def unreal(monkeypatch):
    """The module, with the assets that an import has left; a blend space of an earlier run among them."""
    module = ModuleType("unreal")
    for name in PROPERTIES:
        setattr(module, name, type(name, (Thing,), {}))
    module.Vector = lambda x=0.0, y=0.0, z=0.0: (x, y, z)
    module.said, module.saved, module.assets, module.imported = [], [], {"BS_Locomotion": object()}, []
    module.log = module.said.append
    module.load_asset = lambda path: module.assets[path.rsplit("/", 1)[1].split(".")[0]]

    class Library:
        @staticmethod
        def list_assets(directory_path, recursive=True, include_folder=False):
            return [f"{directory_path}/{name}.{name}" for name in module.assets]

        @staticmethod
        def does_asset_exist(asset_path):
            return asset_path.rsplit("/", 1)[1] in module.assets

        @staticmethod
        def delete_asset(asset_path_to_delete):
            return module.assets.pop(asset_path_to_delete.rsplit("/", 1)[1]) is not None

        @staticmethod
        def save_loaded_asset(asset_to_save, only_if_is_dirty=True):
            module.saved.append(asset_to_save)
            return True

    class Tools:
        def import_asset_tasks(self, import_tasks):
            module.imported += [task.set["filename"] for task in import_tasks]

        def create_asset(self, asset_name, package_path, asset_class, factory, calling_context=None):
            assert asset_name not in module.assets  # Unreal would ask whether to overwrite
            made = module.assets[asset_name] = asset_class(asset_name)
            made.set = {"blend_parameters": [module.BlendParameter() for _ in range(3)], "factory": factory}
            return made

    module.EditorAssetLibrary = Library
    module.AssetToolsHelpers = type("Helpers", (), {"get_asset_tools": staticmethod(Tools)})
    monkeypatch.setitem(sys.modules, "unreal", module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    names = {"walk": 0.9, "fast.walk": 1.6}  # one is the end of the other
    clips = [mo.example("walk", speed=speed).renamed(name) for name, speed in names.items()]
    out = tmp_path_factory.mktemp("unreal")
    export_grid(blend_grid(mo.build_network(clips), columns=2, rows=2), out, "unreal")
    return out


def imported(unreal, table):
    """Let the assets be there that Interchange makes of the file."""
    unreal.assets["character_Skeleton"] = unreal.Skeleton("character_Skeleton")
    for loop in table["loops"]:
        name = "character_" + loop["animation"].replace("-", "_")
        unreal.assets[name] = unreal.AnimSequence(name)


def test_unreal_gets_a_blend_space_with_every_loop_at_its_turn_and_speed(unreal, folder):
    table = json.loads((folder / "grid.json").read_text())
    imported(unreal, table)
    runpy.run_path(str(folder / "import_in_unreal.py"))
    space = unreal.assets["BS_Locomotion"]
    assert unreal.imported == [str(folder / "character.glb")]
    assert space.set["factory"].set["target_skeleton"] is unreal.assets["character_Skeleton"]
    axes = space.set["blend_parameters"]
    assert [axis.set["display_name"] for axis in axes[:2]] == ["turn", "speed"]
    assert all(axis.set["min"] < axis.set["max"] for axis in axes[:2])
    assert len(axes) == 3
    for loop, sample in zip(table["loops"], space.set["sample_data"], strict=True):
        sequence = sample.set["animation"]
        assert sequence.name == "character_" + loop["animation"].replace("-", "_")
        assert sequence.set == {"enable_root_motion": True, "loop": True}
        assert sequence in unreal.saved
        assert sample.set["sample_value"] == (*loop["at"], 0.0)
    assert unreal.saved[-1] is space
    assert unreal.said == ["mocapella: 2 loops in /Game/Mocapella/BS_Locomotion.BS_Locomotion"]


def test_an_animation_that_was_not_imported_is_named(unreal, folder):
    table = json.loads((folder / "grid.json").read_text())
    imported(unreal, {"loops": table["loops"][:1]})
    with pytest.raises(RuntimeError, match="no animation fast_walk-loop among"):
        runpy.run_path(str(folder / "import_in_unreal.py"))
