"""What both dialects of OpenAI share: how a failure looks."""

from __future__ import annotations

from toryo.rehearsal.conversations import Failure, Refusal

ERRORS = {
    400: ("invalid_request_error", "invalid_request", "The request was not valid."),
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    403: ("invalid_request_error", "permission_denied", "You do not have access to this."),
    404: ("invalid_request_error", "not_found", "Not found."),
    429: ("requests", "rate_limit_exceeded", "Rate limit reached. Please try again later."),
    500: ("server_error", "server_error", "The server had an error while processing your request."),
}


def failed(failure: Failure) -> Refusal:
    kind, code, usual = ERRORS.get(failure.status, ERRORS[500])
    error = {"message": failure.message or usual, "type": kind, "code": code}
    if failure.after_s is None:
        return Refusal({}, {"error": error})
    if not failure.message:
        error["message"] = f"Rate limit reached. Please try again in {failure.after_s:.0f}s."
    return Refusal(reset_headers(failure.after_s), {"error": error})


def reset_headers(after_s: float) -> dict[str, str]:
    return {
        "retry-after": str(max(1, round(after_s))),
        "retry-after-ms": str(max(1, round(after_s * 1000))),
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": f"{after_s:.3f}s",
    }
