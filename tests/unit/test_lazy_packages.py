"""Packages whose modules are imported when something of them is first asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

PACKAGES = ("noted.api.replies", "noted.privacy.gate")


@pytest.mark.parametrize("package", PACKAGES)
def test_all_that_a_package_offers_is_there(package: str) -> None:
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = module.nothing_of_this_name


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_stands_in_the_place_of_what_is_offered(package: str) -> None:
    module = import_module(package)
    assert module.__file__
    modules = {path.stem for path in Path(module.__file__).parent.glob("*.py")}
    assert modules & {*module.__all__} == set()


def test_who_answers_with_one_reply_imports_no_other(tmp_path: Path) -> None:
    program = """
import sys
from noted.api.replies import HealthReply
assert HealthReply(version="1").model_dump() == {"status": "ok", "version": "1"}
print(*sorted(name.rpartition(".")[2] for name in sys.modules if name.startswith("noted.api.replies.")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["common", "erasures"]
