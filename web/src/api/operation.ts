import { ApiError, type RuleDetail } from "./error.ts";

/** Long work of the API, as GET /v1/operations/:id tells it. */
export type Operation<Result = unknown> = {
  id: string;
  type: string;
  status: "queued" | "running" | "succeeded" | "partial" | "failed" | "cancelled";
  progress: { done: number; total: number; failed: number };
  result?: Result;
  error?: { code: string; message: string; details?: { path?: string; rule: string; message: string }[] };
  createdAt: string;
};
/** What a 202 answer names. */
export type StartedOperation = { operationId: string };

export function hasEnded({ status }: Pick<Operation, "status">): boolean {
  return status !== "queued" && status !== "running";
}

/** Why an operation failed, like a refusal that came at once. */
export function errorOfOperation({ error }: Operation): ApiError {
  const { code = "INTERNAL", message = "", details = [] } = error ?? {};
  const rules: RuleDetail[] = details.map(({ path = "", ...rest }) => ({ path, ...rest }));
  return new ApiError({ status: rules.length > 0 ? 400 : 500, code, message, details: rules });
}
