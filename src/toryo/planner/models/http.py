"""HTTP endpoint as the model: whatever speaks OpenAI's Chat Completions, through pydantic-ai.

The form of an answer is asked for in words: not every provider takes `response_format`, so it is never sent.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import NoReturn

from openai import AsyncOpenAI
from pydantic_ai import direct, exceptions, messages
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.providers.openai import OpenAIProvider

from toryo import clock
from toryo.domain.times import iso
from toryo.planner.models.model import (
    ModelRefused,
    NoReply,
    Outage,
    Reply,
    Request,
    TooLong,
    Usage,
    UsageLimit,
    Voice,
)

HEADER = "X-Toryo-Purpose"
LONGEST_S = 600.0
LONGEST_PAUSE = timedelta(minutes=2)
"""A 429 that lasts longer is a limit of the account, a shorter one a busy service."""
NO_KEY = "no-key"
"""What is sent where none is set: services on this machine often want none, the library always."""
LONGEST_MESSAGE = 400


class HttpModel:
    via = "http"

    def __init__(self, base_url: str, model: str, key: str = "", *, limit_s: float = LONGEST_S) -> None:
        self._url, self._model, self._key, self._limit_s = base_url, model, key, limit_s

    def __repr__(self) -> str:
        return f"HttpModel({self._url!r}, {self._model!r})"

    def ask(self, request: Request) -> Reply:
        # a client lives in one event loop only, hence one a call
        try:
            return asyncio.run(self._ask(request))
        except exceptions.AgentRunError as error:
            self._explain(error)
        except IndexError:  # the library takes the first of an empty list
            raise ModelRefused(f"{self._url}: the answer has no `choices`") from None

    def close(self) -> None:
        """Nothing outlives a call here."""

    async def _ask(self, request: Request) -> Reply:
        key = self._key or NO_KEY
        async with AsyncOpenAI(
            base_url=self._url, api_key=key, max_retries=0, timeout=self._limit_s
        ) as client:
            model = OpenAIChatModel(self._model, provider=OpenAIProvider(openai_client=client))
            settings = OpenAIChatModelSettings(extra_headers={HEADER: request.purpose})
            found = await direct.model_request(model, _messages(request), model_settings=settings)
        return Reply(
            text=found.text or "",
            usage=_usage(found),
            model=found.model_name or self._model,
            cut=found.finish_reason == "length",
        )

    def _explain(self, error: exceptions.AgentRunError) -> NoReturn:
        raise self._no_reply(error) from None  # the cause holds the request's headers, and they the key

    def _no_reply(self, error: exceptions.AgentRunError) -> NoReply:
        said = self._said(error)
        match error:
            case exceptions.ModelQuotaExceededError():
                return UsageLimit(said)
            case exceptions.ModelRateLimitError(retry_after=wait) if (
                wait and wait > LONGEST_PAUSE.total_seconds()
            ):
                end = datetime.fromtimestamp(clock.wall(), UTC) + timedelta(seconds=wait)
                return UsageLimit(said, until=iso(end.timestamp()) or "")
            case exceptions.ModelContextWindowExceededError():
                return TooLong(said)
            case exceptions.ModelRequestRejectedError():
                return ModelRefused(said)
            case exceptions.ModelHTTPError(status_code=status) if status < 500 and status not in PASSING:
                return ModelRefused(said)
            case exceptions.ModelAPIError(retry_after=wait):
                return Outage(said, after_s=wait)
        # 200, but no answer in this protocol: another program is at that address
        return ModelRefused(said)

    def _said(self, error: exceptions.AgentRunError) -> str:
        """What went wrong, short and without the key, of which some services repeat a part."""
        text = _told(error)
        if self._key:
            text = text.replace(self._key, "***")
        return f"{self._url}: {' '.join(text.split())[:LONGEST_MESSAGE]}"


PASSING = (408, 409, 425, 429)


def _told(error: exceptions.AgentRunError) -> str:
    if not isinstance(error, exceptions.ModelHTTPError):
        return str(error).partition("\n")[0]  # the rest describes a form, field by field
    body = error.body
    inner = body.get("error", body) if isinstance(body, dict) else body
    message = inner.get("message") if isinstance(inner, dict) else inner
    return f"HTTP {error.status_code}: {message or 'no reason given'}"


def _messages(request: Request) -> list[messages.ModelMessage]:
    first = [messages.SystemPromptPart(request.instructions)] if request.instructions else []
    made: list[messages.ModelMessage] = []
    for turn in request.turns:
        if turn.voice is Voice.MODEL:
            made.append(messages.ModelResponse([messages.TextPart(turn.text)]))
            continue
        made.append(messages.ModelRequest([*first, messages.UserPromptPart(turn.text)]))
        first = []
    return made


def _usage(found: messages.ModelResponse) -> Usage:
    tokens = found.usage
    try:
        cost = float(found.cost().total_price)
    except (LookupError, ValueError):  # no price list knows this model, or the service counted nothing
        return Usage(1, tokens.input_tokens, tokens.output_tokens)
    return Usage(1, tokens.input_tokens, tokens.output_tokens, cost, "estimated")
