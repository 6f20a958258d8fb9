/** One violated rule, as the API names it. */
export type RuleDetail = { path: string; rule: string; message: string };

/** What the API refused, in its own words. `status` 0: no answer came (`code` OFFLINE). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: RuleDetail[];
  readonly requestId: string | undefined;
  /** Milliseconds to wait before another try, when the server says so. */
  readonly retryAfterMs: number | undefined;

  constructor(body: { status: number; code: string; message: string } & Partial<ApiErrorFacts>) {
    super(body.message);
    this.name = "ApiError";
    this.status = body.status;
    this.code = body.code;
    this.details = body.details ?? [];
    this.requestId = body.requestId;
    this.retryAfterMs = body.retryAfterMs;
  }
}

type ApiErrorFacts = { details: RuleDetail[]; requestId: string; retryAfterMs: number | undefined };

/**
 * Whether nobody has judged what was sent: no network, a busy or ended server, a first try that still runs, a key that has to be
 * shown anew. It may have been carried out, and is sent again as it was.
 */
export function isUnjudged({ status, code }: ApiError): boolean {
  return [0, 401, 408, 429].includes(status) || status >= 500 || code === "IDEMPOTENCY_IN_PROGRESS";
}

/** The error of an answer of 400 or above, whatever its body is. */
export async function errorOf(answer: Response): Promise<ApiError> {
  const requestId = answer.headers.get("x-request-id") ?? undefined;
  const seconds = Number(answer.headers.get("retry-after"));
  return errorOfBody(answer.status, await answer.text(), {
    ...(requestId === undefined ? {} : { requestId }),
    retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
  });
}

/** The same, of an answer that came another way than by fetch. */
export function errorOfBody(
  status: number,
  text: string,
  facts: Partial<Pick<ApiErrorFacts, "requestId" | "retryAfterMs">> = {},
): ApiError {
  try {
    const body = JSON.parse(text) as { code?: string; message?: string; details?: RuleDetail[] };
    const { code = "INTERNAL", message = "", details = [] } = body;
    return new ApiError({ status, code, message, details, ...facts });
  } catch {
    // A proxy in between answers what it likes.
    return new ApiError({ status, code: "INTERNAL", message: "", ...facts });
  }
}
