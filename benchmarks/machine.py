"""What a benchmark says of where it ran."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path


def machine() -> str:
    """Return the date, the processor and the number of its cores, to stand above figures."""
    return f"{datetime.now(UTC).date()}, {_processor()}, {os.cpu_count()} cores"


def _processor() -> str:
    """Return what the processor calls itself, which only Linux tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
