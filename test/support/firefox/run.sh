#!/bin/sh
# Playwright starts this as if it were Firefox.
exec "$HEARTH_NODE" "$(dirname "$0")/relay.ts" "$@"
