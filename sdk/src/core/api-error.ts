export type ErrorDetail = {
  path?: string;
  rule?: string;
  message: string;
  /** Names the sentence of `message`, to say it in another language. */
  code?: string;
  /** What the sentence names. */
  values?: Record<string, string | number>;
};

type ApiErrorParts = {
  code: string;
  status: number;
  message: string;
  requestId?: string | undefined;
  details?: ErrorDetail[];
  claimIds?: string[];
};

/**
 * Report a request that the oracle refused. `message` is a sentence for people, `code` a stable name for programs.
 * @example
 * ```ts
 * import { ApiError, listSessions, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export async function countSessions(client: OracleClient): Promise<number> {
 *   try {
 *     return (await listSessions(client)).total;
 *   } catch (error) {
 *     if (error instanceof ApiError && error.status === 402) console.log("Unpaid claims:", error.claimIds);
 *     throw error;
 *   }
 * }
 * ```
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  /** Every violated rule. */
  readonly details: ErrorDetail[];
  /** Ids of unpaid claims, in a payment-required error. */
  readonly claimIds: string[];

  constructor({ code, status, message, requestId, details = [], claimIds = [] }: ApiErrorParts) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.details = details;
    this.claimIds = claimIds;
  }

  /** Alias of `claimIds`, for apps of this family. */
  get claims(): string[] {
    return this.claimIds;
  }

  get outstandingClaims(): string[] {
    return this.claimIds;
  }

  static isRequestError(error: unknown): error is ApiError {
    return error instanceof ApiError;
  }

  /** Read an error response. A body that the oracle did not write, such as a proxy's page, contributes only its status. */
  static async from(response: Response): Promise<ApiError> {
    const body = objectOf(await response.json().catch(() => undefined));
    const { status } = response;
    const code = textOf(body.code) ?? `HTTP_${status}`;
    const message = textOf(body.message) ?? (response.statusText || `The oracle answered ${status}.`);
    const requestId = textOf(body.requestId) ?? response.headers.get("x-request-id") ?? undefined;
    const details = Array.isArray(body.details) ? (body.details as ErrorDetail[]) : [];
    const claims = [body.claimIds, body.claims, body.outstandingClaims].find(Array.isArray) ?? [];
    const claimIds = claims.filter((id): id is string => typeof id === "string");
    return new ApiError({ code, status, message, requestId, details, claimIds });
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Wrap a thrown value that is not an Error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
