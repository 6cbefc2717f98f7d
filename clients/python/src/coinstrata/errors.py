from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class CoinstrataError(Exception):
    """What a service refused, or what a folder lacks."""

    def __init__(
        self,
        code: str,
        message: str,
        details: Mapping[str, Any] | None = None,
        status: int = 0,
        request_id: str | None = None,
    ) -> None:
        super().__init__(f"{message} [{code}]")
        #: Stable, such as `not_found` or `rate_limited`; `unreachable` without an answer,
        #: `unknown` if the answer is not from Coinstrata.
        self.code = code
        self.message = message
        #: What to correct, such as `parameter`.
        self.details = dict(details or {})
        #: Of HTTP; 0 without an answer.
        self.status = status
        #: Names the request in the log of the service.
        self.request_id = request_id


class PartialData(CoinstrataError):
    """The key sees only a part of what was asked for: fewer days, or not all metrics."""
