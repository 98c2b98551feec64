"""Two nodes on a primary, replicas and three Sentinels: primaries fail, and nothing is forked.

The servers run with the files of `deploy/redis`. What a drill measures is in docs/redis.md.
"""

import asyncio
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.integration.test_standby import (
    TABLE,
    amounts,
    asked,
    main_link,
    until_at,
    verified,
)
from tests.support.redis_fleet import ENVIRONMENT, RedisFleet
from tests.support.service import ServiceProcess, TableClient, issue_key, lock, settle

pytestmark = [pytest.mark.redis, pytest.mark.slow]

WAIT_SECONDS = 60
