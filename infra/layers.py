"""The two layers under every function: the library and the third-party packages."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsii
from aws_cdk import (
    Annotations,
    AssetHashType,
    BundlingOptions,
    DockerImage,
    FileSystem,
    ILocalBundling,
    RemovalPolicy,
)
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from layers.dependencies import build

RUNTIME = lambda_.Runtime.PYTHON_3_13
ARCHITECTURE = lambda_.Architecture.ARM_64
SOURCE_ONLY = ["**/__pycache__", "**/*.pyc"]

_LAYERS = Path(__file__).parents[1] / "layers"
_LIBRARY = _LAYERS / "noted"


class Layers(Construct):
    """`noted`: the library that the functions share. `dependencies`: what it imports."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        if build.interpreter() is None:
            Annotations.of(self).add_warning_v2(
                "noted:byte-code",
                f"No Python {build.PYTHON} is here to compile the layers with, so each cold start compiles "
                f"what it imports: `uv python install {build.PYTHON}`.",
            )
        self.noted = self._layer(
            "Noted",
            lambda_.Code.from_asset(
                str(_LIBRARY),
                asset_hash_type=AssetHashType.CUSTOM,
                asset_hash=FileSystem.fingerprint(
                    str(_LIBRARY),
                    exclude=SOURCE_ONLY,
                    extra_hash=f"byte code: {bool(build.interpreter())}",
                ),
                bundling=_bundling(_build_library),
            ),
        )
        self.dependencies = self._layer(
            "Dependencies",
            lambda_.Code.from_asset(
                str(_LAYERS / "dependencies"),
                asset_hash_type=AssetHashType.CUSTOM,
                asset_hash=build.fingerprint(),
                bundling=_bundling(build.build),
            ),
        )

    def _layer(self, construct_id: str, code: lambda_.Code) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(
            self,
            construct_id,
            code=code,
            compatible_runtimes=[RUNTIME],
            compatible_architectures=[ARCHITECTURE],
            removal_policy=RemovalPolicy.DESTROY,
        )


@jsii.implements(ILocalBundling)
class _LocalBundling:
    """Makes an asset on this machine."""

    def __init__(self, make: Callable[[Path], None]) -> None:
        self._make = make

    def try_bundle(self, output_dir: str, *_: Any, **__: Any) -> bool:
        self._make(Path(output_dir))
        return True


def _bundling(make: Callable[[Path], None]) -> BundlingOptions:
    # An image must be named; it is never fetched, since an asset that cannot be made here raises.
    return BundlingOptions(image=DockerImage.from_registry("scratch"), local=_LocalBundling(make))


def _build_library(target: Path) -> None:
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(_LIBRARY / "python", target / "python", ignore=ignore)
    shutil.copytree(_LIBRARY / "bin", target / "bin")
    for program in (target / "bin").iterdir():
        program.chmod(0o755)
    build.compile_tree(target)
    build.make_readable(target)
