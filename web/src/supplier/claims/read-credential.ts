import type { Schemas } from "../../../../wire/src/routes.ts";

/** A pasted or uploaded credential: a compact token, or a W3C object with a proof. */
export type Presented = Schemas["PresentedCredential"];

const token = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const deliveryType = "ProductDeliveryCredential";

/**
 * Parse it to the form that a claim contains; undefined when it is neither. Only its form is checked here; the API
 * verifies it.
 */
export function readCredential(text: string): Presented | undefined {
  const trimmed = text.trim().replace(/^"|"$/g, "");
  if (token.test(trimmed)) return { type: deliveryType, proof: trimmed };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { type, proof, verifiableCredential } = value as Record<string, unknown>;
  if (typeof verifiableCredential === "string" && token.test(verifiableCredential)) {
    return { type: deliveryType, proof: verifiableCredential };
  }
  if (typeof type !== "string" && !Array.isArray(type)) return undefined;
  const isEnveloped = [type].flat().includes("EnvelopedVerifiableCredential");
  return proof === undefined && !isEnveloped ? undefined : (value as Presented);
}
