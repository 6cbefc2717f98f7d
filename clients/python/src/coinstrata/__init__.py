"""Bitcoin on-chain analytics of a Coinstrata service or data folder as data frames.

>>> import coinstrata
>>> service = coinstrata.connect("http://127.0.0.1:3000", key="cs_…")
>>> frame = service.frame("price mvrv", start="2020-01-01")
"""

from __future__ import annotations

import os
from typing import overload

from .backtest import Backtest, backtest
from .contract import Aggregate, Interval, Metric
from .errors import CoinstrataError, PartialData
from .folder import Folder
from .service import Alerts, Chart, Service

__all__ = [
    "Aggregate",
    "Alerts",
    "Backtest",
    "Chart",
    "CoinstrataError",
    "Folder",
    "Interval",
    "Metric",
    "PartialData",
    "Service",
    "backtest",
    "connect",
]


@overload
def connect(url: str | None = None, key: str | None = None, folder: None = None) -> Service: ...
@overload
def connect(url: None = None, key: None = None, folder: str | os.PathLike[str] = ...) -> Folder: ...
def connect(
    url: str | None = None,
    key: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Service | Folder:
    """Connects to a service (default: one on this machine), or opens a data folder without one.

    `key` is an API key (default: the environment's COINSTRATA_API_KEY); without one a service
    answers the newest 60 days of basic metrics.
    """
    if folder is not None:
        if url is not None or key is not None:
            raise ValueError("name a service or a folder, not both")
        return Folder(folder)
    return Service(url or "http://127.0.0.1:3000", key or os.environ.get("COINSTRATA_API_KEY"))
