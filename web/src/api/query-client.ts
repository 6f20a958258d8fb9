import { QueryClient } from "@tanstack/react-query";
import { HearthError } from "../../../wire/src/errors.ts";

const tries = 3;

/** Whether a retry may succeed: the server is busy or briefly unreachable. */
function isPassing(error: unknown): boolean {
  return error instanceof HearthError && [0, 429, 502, 503].includes(error.status);
}

/** Query keys are `[area, noun, …parameters]`; a write invalidates `[area, noun]`. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => isPassing(error) && failures < tries,
      retryDelay: (failures, error) =>
        error instanceof HearthError && error.retryAfterMs !== undefined ? error.retryAfterMs : 500 * 2 ** failures,
    },
    // Only the user repeats a write, with the same Idempotency-Key.
    mutations: { retry: false },
  },
});
