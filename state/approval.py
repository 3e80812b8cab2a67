"""What a person answers when a run asks before it sends something to the web."""

from typing import Annotated

from pydantic import Field, RootModel, StrictBool, StrictStr


class Approval(RootModel[StrictBool | Annotated[StrictStr, Field(pattern=r"\w")]]):
    """True to approve, false to deny, or the query to send instead."""
