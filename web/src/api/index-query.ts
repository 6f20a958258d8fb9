import { ApiError } from "./error.ts";
import { request } from "./request.ts";

/**
 * Ask the public index by GraphQL. Wide integers (amounts in micro-units, seconds) come as text.
 * @throws ApiError
 */
export async function askIndex<T>(
  query: string,
  variables: Record<string, unknown> = {},
  signal?: AbortSignal,
): Promise<T> {
  const answer = await request<{ data?: T; errors?: { message: string }[] }>("POST", "/graphql", {
    body: { query, variables },
    signal,
  });
  if (answer.data !== undefined && answer.data !== null && answer.errors === undefined) return answer.data;
  const message = answer.errors?.map((each) => each.message).join(" ") ?? "";
  throw new ApiError({ status: 400, code: "INVALID_INPUT", message });
}
