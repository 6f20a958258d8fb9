import { z } from "@hono/zod-openapi";

/** Schema of one broken rule. */
export const brokenRule = z.object({
  path: z.string().optional(),
  rule: z.string(),
  message: z.string(),
  code: z.string().optional().openapi({
    description: "Names the sentence of `message`, to say it in another language. Not every rule has one.",
    example: "household-registered-already",
  }),
  values: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .optional()
    .openapi({ description: "What the sentence names, such as an id or a limit." }),
});

/** Schema of every error response. */
export const errorResponse = z
  .object({
    error: z.string().openapi({ example: "Conflict" }),
    code: z.string().openapi({ example: "CONFLICT", description: "Stable machine word." }),
    message: z.string(),
    status: z.number().int(),
    statusCode: z.number().int(),
    details: z.array(brokenRule),
    requestId: z.string(),
  })
  .openapi("Error");

const meanings = {
  400: "The request is malformed or breaks rules; details names every one",
  401: "The key or token is missing or wrong, or its proof is",
  403: "The key or token may not do this",
  404: "There is no such record, or none that the caller may see",
  408: "The body took too long to arrive",
  409: "The request conflicts with the present state",
  412: "If-Match or If-None-Match does not hold",
  413: "The body is over the route's limit",
  415: "The body is of another media type",
  416: "The range does not lie within the content",
  429: "Too many requests; see Retry-After",
  502: "A system that the answer depends on failed",
  503: "Not ready; try again",
} as const;

export type ErrorStatus = keyof typeof meanings;

/** Build the `application/json` content of a route's body or response. */
export function jsonContent<T extends z.ZodType>(schema: T) {
  return { "application/json": { schema } };
}

type ErrorResponse = { description: string; content: ReturnType<typeof jsonContent<typeof errorResponse>> };

/** Build the error responses of a route by status. Every route below /v1 has 401 and 429. */
export function errorResponses<S extends ErrorStatus>(...statuses: S[]): Record<S | 401 | 429, ErrorResponse> {
  const all = [...new Set<ErrorStatus>([...statuses, 401, 429])].sort();
  const entries = all.map((status) => [status, { description: meanings[status], content: jsonContent(errorResponse) }]);
  return Object.fromEntries(entries) as Record<S | 401 | 429, ErrorResponse>;
}
