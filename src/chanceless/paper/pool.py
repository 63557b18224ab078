"""Independent parts of an experiment on several processes; each is kept as soon as it is done."""

import multiprocessing
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from chanceless.paper.kept import Parts
from chanceless.paper.progress import progress


def run_in_pool(title: str, work: Mapping[str, Callable[[], Any]], parts: Parts, processes: int) -> None:
    """Do the parts that are not done yet. What a part finds may not depend on which process does it, or when."""
    missing = {name: function for name, function in work.items() if name not in parts.done}
    with progress(title, len(work)) as advance:
        for name in work:
            if name in parts.done:
                advance(name)
        if processes == 1 or len(missing) <= 1:
            for name, function in missing.items():
                parts.add(name, function())
                advance(name)
            return
        context = multiprocessing.get_context("forkserver")
        # Ctrl-C is for the parent to hear; it waits for the parts under way, which are short.
        with ProcessPoolExecutor(processes, context, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
            futures = {pool.submit(function): name for name, function in missing.items()}
            try:
                for future in as_completed(futures):
                    parts.add(futures[future], future.result())
                    advance(futures[future])
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
