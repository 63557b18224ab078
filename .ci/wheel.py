"""Build the sdist and, from it, the wheels of this platform; check them, and test them where there is no compiler.

`python .ci/wheel.py FOLDER [TEST...]` leaves the sdist and the wheels in FOLDER. Each Python at hand runs the tests, by
default those of tests/wheel.txt, which need little else. Needs the dependency group `wheel`.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LARGEST_WHEEL, LARGEST_INSTALLED = 2_000_000, 5_000_000  # bytes
FIRST_SCORE = "import chanceless; print(chanceless.adjusted_mutual_info_score([0, 0, 1, 1], ['b', 'b', 'a', 'a']))"
INFORMATION = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


def run(*command, **options):
    """Run a command that must succeed; return what it prints."""
    ended = subprocess.run(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options
    )
    if ended.returncode:
        sys.exit(f"{ended.stdout}\nfailed: {' '.join(map(str, command))}")
    return ended.stdout


def check(holds, complaint):
    """Stop with a complaint unless something holds."""
    if not holds:
        sys.exit(f"wheel: {complaint}")


def find_pythons():
    """Return an interpreter of each supported version that is on PATH or was installed by pyenv."""
    found = {}
    for classifier in PROJECT["project"]["classifiers"]:
        if match := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", classifier):
            installed = sorted(Path.home().glob(f".pyenv/versions/{match[1]}.*/bin/python"))
            for python in filter(None, [shutil.which(f"python{match[1]}"), *installed]):
                asked = [python, "-c", "import sys; print(sys.version_info[:2], sys.executable)"]
                if subprocess.run(asked, capture_output=True, check=False).returncode == 0:  # a shim may fail
                    found[match[1]] = python
                    break
    check(found, "no supported Python is at hand")
    return found


def build_sdist(folder):
    """Build the sdist, check that all of it is under version control, and unpack it; return both places."""
    run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    source = folder / sdist.name.removesuffix(".tar.gz")
    packed = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    stray = packed - {"PKG-INFO", *run("git", "ls-files", cwd=ROOT).splitlines()}
    check(not stray, f"{sdist.name} has stray files: {sorted(stray)}")
    print(f"{sdist.name}: {sdist.stat().st_size:,} bytes")
    return sdist, source


def build_wheel(sdist, python, folder):
    """Build a wheel from the sdist alone and give it the tags of the oldest systems that can load it."""
    raw = Path(tempfile.mkdtemp(dir=folder))
    run(python, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", raw, sdist)
    (wheel,) = raw.glob("*.whl")
    if sys.platform == "linux":
        run("auditwheel", "repair", "--wheel-dir", raw, wheel)
        wheel.unlink()
        (wheel,) = raw.glob("*.whl")
    if "abi3" in wheel.name:
        run("abi3audit", "--strict", wheel)
    return wheel.rename(folder / wheel.name)


def check_contents(wheel, source):
    """Check the size, and that the files are those of the package, the module and the metadata."""
    with ZipFile(wheel) as archive:
        packed = {entry.filename for entry in archive.infolist() if not entry.is_dir()}
    name = "-".join(wheel.name.split("-")[:2]) + ".dist-info"
    package = {path.relative_to(source / "src").as_posix() for path in (source / "src").rglob("*") if path.is_file()}
    wanted = package | {f"{name}/{file}" for file in INFORMATION}
    module = r"chanceless/_core(\.abi3\.so|\.pyd)" if "abi3" in wheel.name else r"chanceless/_core\.cp.*"
    others = packed - wanted
    check(wanted <= packed, f"{wheel.name} lacks {sorted(wanted - packed)}")
    check(len(others) == 1 and re.fullmatch(module, min(others)), f"{wheel.name} has stray files: {sorted(others)}")
    size = wheel.stat().st_size
    check(size < LARGEST_WHEEL, f"{wheel.name} has {size:,} bytes, more than {LARGEST_WHEEL:,}")
    print(f"{wheel.name}: {size:,} bytes")


def try_out(version, python, wheel, source, tests):
    """Install a wheel into an empty environment without a compiler, time the first score, and run tests."""
    place = source.parent / f"python-{version}"
    run(python, "-m", "venv", place)
    own = place / ("Scripts" if os.name == "nt" else "bin")
    env = os.environ | {"PATH": str(own), "CC": "no-compiler", "CXX": "no-compiler", "CI": "1"}
    install = [own / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    started = time.monotonic()
    run(*install, wheel, env=env)
    score = run(own / "python", "-c", FIRST_SCORE, env=env, cwd=place)
    seconds = time.monotonic() - started
    check(score == "1.0\n", f"the first score is {score!r}")
    installed = [path for path in place.rglob("*") if "chanceless" in path.relative_to(place).as_posix()]
    size = sum(path.stat().st_size for path in installed if path.is_file())
    check(size < LARGEST_INSTALLED, f"{wheel.name} takes {size:,} bytes once installed")
    run(*install, *PROJECT["dependency-groups"]["wheel-test"], env=env)
    outcome = run(own / "python", "-m", "pytest", "-q", *tests, env=env, cwd=source).splitlines()[-1]
    print(f"Python {version}: first score after {seconds:.0f} s, {size:,} bytes installed, {outcome}")


def main(output, *tests):
    """Build, check and test."""
    output = Path(output).absolute()
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        sdist, source = build_sdist(Path(folder))
        pythons = find_pythons()
        stable = next((version for version in pythons if version != "3.11"), None)  # one wheel for it and all later
        builds = [version for version in pythons if version in ("3.11", stable)]
        started = {version: pool.submit(build_wheel, sdist, pythons[version], Path(folder)) for version in builds}
        wheels = {version: built.result() for version, built in started.items()}
        for wheel in wheels.values():
            check_contents(wheel, source)
        shutil.rmtree(source / "src")  # the tests see the wheel alone
        for version, python in pythons.items():
            wheel = wheels.get(version) or wheels[stable]
            try_out(version, python, wheel, source, tests or ["--quick", "@tests/wheel.txt"])
        for built in (sdist, *wheels.values()):
            shutil.copy(built, output)


if __name__ == "__main__":
    main(*sys.argv[1:])
