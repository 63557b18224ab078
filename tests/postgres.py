"""A PostgreSQL of our own, on loopback."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

OWNER = "nobody" if hasattr(os, "geteuid") and os.geteuid() == 0 else None
"""Who starts the server: it refuses root."""


def find_programs():
    """Return the folder of PostgreSQL's programs, newest first; Debian has them on no path. None if there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    program = found[-1] if found else shutil.which("initdb")
    return program and Path(program).resolve().parent


def _run(*command, cwd):
    """Run a program as an unprivileged user, who can read the current folder; what it starts keeps no pipe of ours."""
    with (cwd / "output").open("w+") as output:
        done = subprocess.run(command, cwd=cwd, user=OWNER, stdout=output, stderr=output, timeout=120, check=False)
        output.seek(0)
        assert done.returncode == 0, output.read()


@contextlib.contextmanager
def serve(programs):
    """Start a server with an empty database; yield its address; stop it."""
    with tempfile.TemporaryDirectory() as name, socket.socket() as free:
        folder, data = Path(name), str(Path(name) / "data")
        if OWNER is not None:
            shutil.chown(folder, OWNER)
        _run(programs / "initdb", "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--no-sync", cwd=folder)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        # -t: seconds to wait until it answers
        _run(programs / "pg_ctl", "start", "-D", data, "-l", "log", "-o", settings, "-w", "-t", "60", cwd=folder)
        try:
            yield f"postgresql://test@127.0.0.1:{port}/postgres"
        finally:
            _run(programs / "pg_ctl", "stop", "-D", data, "-m", "immediate", "-w", "-t", "60", cwd=folder)
