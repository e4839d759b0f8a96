"""A Ray cluster on this machine, of its own whatever else runs here."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Its address."""
    ray = pytest.importorskip("ray")
    found = ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=10**8, log_to_driver=False)
    yield found.address_info["gcs_address"]
    ray.shutdown()
