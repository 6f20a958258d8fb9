import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import type { BlobPlace } from "../configuration.ts";

export type BucketPlace = Extract<BlobPlace, { kind: "s3" }>;

/**
 * Create a client of an S3-compatible service. Credentials come from the AWS_* variables or the machine's role. Many services do not
 * support the SDK's newer checksums, so it computes none: callers check the bytes themselves.
 */
export function openBucketClient(
  { endpoint, region, pathStyle }: BucketPlace,
  options: Pick<S3ClientConfig, "requestHandler"> = {},
): S3Client {
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...options,
  });
}
