"""Check of the model settings: one short call, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from toryo import settings
from toryo.planner.answers import CHECK, read
from toryo.planner.call_log import CallLog
from toryo.planner.model_settings import choice_of
from toryo.planner.models.choosing import chosen
from toryo.planner.models.model import Model, ModelRefused, NoReply, Outage, UsageLimit
from toryo.planner.prompts.compose import compose
from toryo.protocol.kinds.planner import Brief
from toryo.settings import Home

ONCE = "It was asked once. `toryo planner use` says which model that is; then `toryo planner check` again."


def check(
    home: Home,
    tried: Mapping[str, str | None] | None = None,
    begun_with: Callable[[Model], object] = lambda model: None,
) -> dict[str, Any]:
    """Whether a model answers in JSON; NoReply says why none does.

    `tried`: settings that are not written yet. `begun_with` gets the model: who gives up closes it."""
    env = settings.environment()
    choice = choice_of(home, env, tried)
    model = chosen(choice, env)
    begun_with(model)
    calls = CallLog(home.logs, [choice.key])
    request = compose(CHECK, Brief(mission="", purpose=CHECK, text="Are you there?"))
    begun = time.monotonic()
    try:
        reply = model.ask(request)
    except (Outage, UsageLimit) as trouble:
        calls.failed({"via": model.via}, request, trouble, time.monotonic() - begun)
        trouble.hint = ONCE
        raise
    except NoReply as trouble:
        calls.failed({"via": model.via}, request, trouble, time.monotonic() - begun)
        raise
    else:
        seconds = time.monotonic() - begun
        calls.answered({"via": model.via}, request, reply, seconds)
    finally:
        calls.close()
        model.close()
    found = read(CHECK, reply.text)
    if found.value is None:
        raise ModelRefused(
            f"The model answers, but not in JSON: {'; '.join(found.complaints)}",
            hint="Choose a model that follows instructions: toryo config set planner.model MODEL",
        )
    return {
        "via": model.via,
        "base_url": choice.base_url if model.via == "http" else "",
        "model": reply.model or choice.model,
        "seconds": round(seconds, 3),
        "input_tokens": reply.usage.input_tokens,
        "output_tokens": reply.usage.output_tokens,
    }
