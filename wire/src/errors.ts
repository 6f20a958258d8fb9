/**
 * One broken rule, as the API names it. `path` is the field, such as `consent.type`; empty for the whole request. `code` names the
 * sentence of `message` and `values` what is in it, to say it in another language; not every rule has them.
 */
export type BrokenRule = {
  path: string;
  rule: string;
  message: string;
  code?: string;
  values?: Record<string, string | number>;
};

type GivenRule = {
  path?: string | undefined;
  rule: string;
  message: string;
  code?: string | undefined;
  values?: Record<string, string | number> | undefined;
};

type Facts = {
  status: number;
  code: string;
  message: string;
  details?: readonly GivenRule[] | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
};

/**
 * A request that the API refused, or that got no answer.
 *
 * @example
 * ```ts
 * import { createClient, HearthError } from "@hearth/wire";
 *
 * const hearth = createClient({ baseUrl: "http://localhost:3000", key: "hk_…" });
 * try {
 *   await hearth.post("/v1/households", { body: { did: "did:ixo:household/7" } });
 * } catch (error) {
 *   if (error instanceof HearthError) for (const { path, message } of error.details) console.error(path, message);
 * }
 * ```
 */
export class HearthError extends Error {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Stable code, such as `CONFLICT`; `OFFLINE` when no answer came. */
  readonly code: string;
  /** Every broken rule. */
  readonly details: readonly BrokenRule[];
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor({ status, code, message, details = [], requestId, retryAfterMs, cause }: Facts) {
    super(message === "" ? code : message, { cause });
    this.name = "HearthError";
    this.status = status;
    this.code = code;
    this.details = details.map(toBrokenRule);
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }

  /**
   * Whether the same request may succeed later: no answer, too many requests, a busy server, or a first attempt that
   * still runs.
   */
  get isPassing(): boolean {
    return [0, 408, 429, 502, 503, 504].includes(this.status) || this.code === "IDEMPOTENCY_IN_PROGRESS";
  }
}

/** Code of the text that says an error code in general; it is in every language of `reason-texts`. */
export function reasonOfErrorCode(code: string): string {
  return `answer-${code.toLowerCase().replaceAll("_", "-")}`;
}

function toBrokenRule({ path = "", rule, message, code, values }: GivenRule): BrokenRule {
  return { path, rule, message, ...(code !== undefined && { code, values: values ?? {} }) };
}

/**
 * A write whose transaction has been sent but is not in a block yet. It is not lost: follow its operation.
 *
 * @example
 * ```ts
 * import { createClient, PendingTransactionError } from "@hearth/wire";
 *
 * const hearth = createClient({ baseUrl: "http://localhost:3000", key: "hk_…" });
 * try {
 *   await hearth.post("/v1/households", { body: { did: "did:ixo:household/7" } });
 * } catch (error) {
 *   if (error instanceof PendingTransactionError) await hearth.operation(error.operationId);
 * }
 * ```
 */
export class PendingTransactionError extends Error {
  readonly operationId: string;
  readonly transactionHash: string;

  constructor({ operationId, transactionHash }: { operationId: string; transactionHash: string }) {
    super(`Transaction ${transactionHash} is not in a block yet. Follow operation ${operationId}.`);
    this.name = "PendingTransactionError";
    this.operationId = operationId;
    this.transactionHash = transactionHash;
  }
}

type OperationError = { code: string; message: string; details?: Facts["details"] };

/** Make the error of a failed operation. With broken rules, it was refused; otherwise the server failed. */
export function errorOfOperation(error: OperationError | undefined): HearthError {
  const { code = "INTERNAL", message = "The operation failed.", details = [] } = error ?? {};
  return new HearthError({ status: details.length > 0 ? 400 : 500, code, message, details });
}

/** Read the error from a response with status 400 or above, whatever its body is. */
export async function errorOf(response: Response): Promise<HearthError> {
  const seconds = Number(response.headers.get("retry-after"));
  const facts = {
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
  };
  const text = await response.text();
  try {
    const { code = "INTERNAL", message = "", details } = JSON.parse(text) as Partial<Facts>;
    return new HearthError({ ...facts, code, message, details });
  } catch {
    // A proxy may send any body.
    return new HearthError({ ...facts, code: "INTERNAL", message: response.statusText });
  }
}
