import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** Generate a secret in the form of Standard Webhooks. */
export function createSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/**
 * Sign a body and return the headers of Standard Webhooks. A secret in base64 (with or without `whsec_`) is decoded, as receivers'
 * libraries do; of any other secret the text's bytes are used.
 */
export function signedHeaders(secret: string, id: string, at: Date, body: string): Record<string, string> {
  const signer = isBase64(secret) ? new Webhook(secret) : new Webhook(Buffer.from(secret, "utf8"), { format: "raw" });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signer.sign(id, at, body),
  };
}

function isBase64(secret: string): boolean {
  const text = secret.replace(/^whsec_/, "");
  return text.length > 0 && Buffer.from(text, "base64").toString("base64") === text;
}
