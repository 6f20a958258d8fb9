import { S3ServiceException } from "@aws-sdk/client-s3";
import { brokenRuleError, defineRules } from "../../platform/errors.ts";

/** Errors of the network, by the code of Node's system errors. */
const networkCodes = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Names under which services say that the same request works later, with any status. */
const temporaryNames = new Set(["RequestTimeout", "SlowDown", "TimeoutError"]);

/** Whether a bucket's error says that its service cannot be reached, or cannot answer for now. The SDK has tried three times then. */
export function isBucketUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (temporaryNames.has(error.name)) return true;
  if (error instanceof S3ServiceException) {
    const status = error.$metadata.httpStatusCode ?? 0;
    return (status >= 500 && status !== 501) || status === 429;
  }
  return "code" in error && networkCodes.has(String(error.code));
}

const broken = defineRules({
  "file-store-silent": [
    "content-store",
    "The store of the files' contents does not answer. Send the same request again.",
  ],
});

/** Build the 503 for a bucket that is unavailable; any other error is returned unchanged. */
export function bucketError(error: unknown): unknown {
  if (!isBucketUnavailable(error)) return error;
  const headers = { "Retry-After": "5" };
  return brokenRuleError("UNAVAILABLE", broken("file-store-silent", undefined), { cause: error, headers });
}
