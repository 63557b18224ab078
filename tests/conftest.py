"""Settings for all tests."""

import os

import pytest
from hypothesis import HealthCheck, settings

# How long a case takes says nothing of whether it is right, least of all on a busy machine.
settings.register_profile("chanceless", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("chanceless")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """A test that is skipped for want of a component must fail where everything is supposed to be there (CI)."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CHANCELESS_FAIL_ON_SKIP"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but CHANCELESS_FAIL_ON_SKIP is set: {report.longrepr}"
    return report
