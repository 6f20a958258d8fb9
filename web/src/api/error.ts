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

/** The error of an answer of 400 or above, whatever its body is. */
export async function errorOf(answer: Response): Promise<ApiError> {
  const text = await answer.text();
  const requestId = answer.headers.get("x-request-id") ?? undefined;
  const seconds = Number(answer.headers.get("retry-after"));
  const facts = {
    ...(requestId === undefined ? {} : { requestId }),
    retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
  };
  try {
    const body = JSON.parse(text) as { code?: string; message?: string; details?: RuleDetail[] };
    const { code = "INTERNAL", message = "", details = [] } = body;
    return new ApiError({ status: answer.status, code, message, details, ...facts });
  } catch {
    // A proxy in between answers what it likes.
    return new ApiError({ status: answer.status, code: "INTERNAL", message: "", ...facts });
  }
}
