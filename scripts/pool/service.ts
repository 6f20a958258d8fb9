import type { ErrorBody } from "../../api/platform/http/error-response.ts";
import { RefusedError, type Values } from "./usage.ts";

export type Reply<T> = { status: number; body: T };

/** Calls the service's routes below /v1/pool. It sends no key, because the signatures identify the caller. */
export function openService(values: Values) {
  const url = (values.api ?? process.env.PUBLIC_URL ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`).replace(
    /\/$/,
    "",
  );
  return async function call<T>(method: "GET" | "POST", path: string, body?: unknown): Promise<Reply<T>> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/v1/pool${path}`, init).catch((cause: Error) => {
      const why = (cause.cause as Error | undefined)?.message ?? cause.message;
      throw new RefusedError(`The service at ${url} does not answer (${why}). Is it running? --api names another one.`);
    });
    const parsed = (await answer.json().catch(() => {
      throw new RefusedError(`${url} responded with ${answer.status} and a body that is not JSON.`);
    })) as T;
    if (answer.ok) return { status: answer.status, body: parsed };
    const { message, details = [] } = parsed as ErrorBody;
    const more = details
      .filter((each) => each.message !== message)
      .map((each) => `  ${each.path ?? each.rule}: ${each.message}`);
    throw new RefusedError([message ?? `The service answers ${answer.status}.`, ...more].join("\n"));
  };
}
export type Service = ReturnType<typeof openService>;
