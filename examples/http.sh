#!/usr/bin/env bash
# Ask a LangGraph server over HTTP: for the whole result at once, and for the answer as it is written.
#
# $ groundgraph serve
# $ examples/http.sh
set -euo pipefail
url=${1:-http://127.0.0.1:2024}

curl --silent --show-error --fail "$url/runs/wait" --header 'Content-Type: application/json' --data '{
  "assistant_id": "crag",
  "input": {"question": "How long is the notice period?"},
  "context": {"collections": ["work"], "top_k": 8}
}'
echo

curl --silent --show-error --fail --no-buffer "$url/runs/stream" --header 'Content-Type: application/json' --data '{
  "assistant_id": "crag",
  "input": {"question": "How long is the notice period?"},
  "context": {"collections": ["work"], "top_k": 8},
  "stream_mode": ["messages-tuple", "values"]
}'
