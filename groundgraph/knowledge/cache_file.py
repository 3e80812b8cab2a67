"""A SQLite file beside a collection that saves work, and whose loss costs nothing but time."""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
logger = logging.getLogger(__name__)

_BUSY_SECONDS = 5.0


class CacheFile:
    """Lends the file for one piece of work at a time; if it is damaged or cannot be written, work is done without."""

    def __init__(self, file: Path, schema: str) -> None:
        self.file = file
        self._schema = schema

    def use(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Return what is done with the file, which is made if need be; None if it cannot be used."""
        try:
            with closing(sqlite3.connect(self.file, timeout=_BUSY_SECONDS)) as db, db:
                db.execute(self._schema)
                return work(db)
        except sqlite3.OperationalError as error:  # full, locked or not to be written
            logger.info("%s not kept, what is in it will be made again when needed: %s", self.file.name, error)
        except sqlite3.DatabaseError as error:
            logger.info("%s dropped, it is damaged: %s", self.file.name, error)
            self.drop()
        return None

    def drop(self) -> None:
        """Remove the file, if it is there."""
        self.file.unlink(missing_ok=True)
