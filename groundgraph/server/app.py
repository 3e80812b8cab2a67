"""The routes that the LangGraph server has beside its own, named in `langgraph.json`."""

import asyncio

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from groundgraph.errors import InputError, shown
from groundgraph.grading.runs import Thumb, give_feedback

REMEDY = 'give {"run": run_id, "thumb": "up" or "down", "passage": N}'


class GivenFeedback(BaseModel):
    """What a person thinks of a run's passages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str = Field(pattern=r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")
    """The whole `run_id` that the server gave the run, so that nobody judges another's by a guess."""
    thumb: Thumb
    passage: int | None = Field(None, ge=1, strict=True)
    """Number of one passage; those that the answer cites if it is left out."""


async def feedback(request: Request) -> JSONResponse:
    """Label the passages of a run; what follows stands in the server's OpenAPI description.

    ---
    summary: Say whether the passages of a run helped.
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [run, thumb]
            additionalProperties: false
            properties:
              run: {type: string, format: uuid, description: The run_id that the server gave the run.}
              thumb: {enum: [up, down]}
              passage: {type: integer, minimum: 1, description: One passage; by default those that the answer cites.}
    responses:
      201: {description: How many pairs are labelled.}
      404: {description: The run or the passage is not on record.}
      422: {description: The body is no feedback.}
    """
    try:
        asked = GivenFeedback.model_validate_json((await request.body()).decode(errors="replace"))
    except ValidationError as error:
        return JSONResponse({"detail": _one_line(error)}, 422)
    try:
        given = await asyncio.to_thread(give_feedback, asked.run.lower(), asked.thumb, asked.passage)
    except InputError as error:
        return JSONResponse({"detail": str(error)}, 404)
    return JSONResponse({"labelled": len(given)}, 201)


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"])) or "body"
    return f"{key}={shown(first['input'])}: {first['msg']}; {REMEDY}"


app = Starlette(routes=[Route("/feedback", feedback, methods=["POST"])])
