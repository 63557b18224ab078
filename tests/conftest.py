"""A test that is skipped for want of a component must fail where everything is supposed to be there (CI)."""

import os

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CHANCELESS_FAIL_ON_SKIP"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but CHANCELESS_FAIL_ON_SKIP is set: {report.longrepr}"
    return report
