import { documentOf, type ProofDocument, partsOf } from "../../api/scheme/itmo/proof/document.ts";
import { proofDocument } from "../../api/scheme/itmo/proof/schema.ts";

export type ReadProof = { document: ProofDocument; faults?: never } | { document?: never; faults: string[] };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Blanks of JSON, and the strings that may contain significant ones. */
const stringOrBlanks = /"(?:[^"\\]|\\.)*"|[ \t\r\n]+/g;

/**
 * Read a proof file so strictly that every byte is checked: it must be exactly the text that follows from its header, receipt,
 * proof, credential and DID document, except for blanks between members.
 */
export function readProof(bytes: Uint8Array): ReadProof {
  let text: string;
  let value: unknown;
  try {
    text = decoder.decode(bytes);
    value = JSON.parse(text);
  } catch {
    return { faults: ["The file is not JSON in UTF-8."] };
  }
  const parsed = proofDocument.safeParse(value);
  if (!parsed.success) {
    return { faults: parsed.error.issues.map(({ path, message }) => `${path.join(".") || "The file"}: ${message}`) };
  }
  let document: ProofDocument;
  try {
    document = documentOf(partsOf(parsed.data));
  } catch (error) {
    return { faults: [(error as Error).message.split("\n", 1)[0] ?? "The header or the receipt cannot be read."] };
  }
  const bare = text.replace(stringOrBlanks, (found) => (found.startsWith('"') ? found : ""));
  if (bare === JSON.stringify(document)) return { document };
  const faults = differences(document, value, "");
  if (faults.length > 0) return { faults };
  return {
    faults: [
      "The file is not in the exact form of a proof: a member occurs twice or in another place, or text is escaped.",
    ],
  };
}

/** List where the file differs from what follows from its bytes. */
function differences(real: unknown, said: unknown, path: string): string[] {
  if (typeof real !== "object" || real === null || typeof said !== "object" || said === null) {
    if (real === said) return [];
    return [`${path} is ${show(said)} in the file; the bytes make ${show(real)}.`];
  }
  const names = new Set([...Object.keys(real), ...Object.keys(said)]);
  const member = (of: object, name: string) =>
    Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined;
  return [...names].flatMap((name) =>
    differences(member(real, name), member(said, name), path === "" ? name : `${path}.${name}`),
  );
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
