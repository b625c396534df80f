#!/bin/sh
# The document as the Python side makes it, and the types of TypeScript made from it.
set -eu
cd "$(dirname "$0")"
python="${PYTHON:-../.venv/bin/python}"
"$python" -m toryo.fronts.web.openapi > openapi.json
npx openapi-typescript openapi.json --output src/api/schema.ts
