import type { DIDDocument, DIDResolutionResult, ParsedDID } from "did-resolver";
import { callOutside, type OutboundRules } from "../outbound/index.ts";
import type { DidMethod } from "./did-resolution.ts";

const MAX_DOCUMENT_BYTES = 64 * 1024;
const TIMEOUT_MS = 4_000;

/**
 * Create the did:web method, with the same address rules as every outside call. On the embedded chain it reads
 * `did:web:localhost%3A<port>` over http.
 */
export function didWebMethod(rules: OutboundRules): DidMethod {
  return {
    name: "web",
    async resolve(_did: string, parsed: ParsedDID): Promise<DIDResolutionResult> {
      const headers = { accept: "application/did+json, application/did+ld+json, application/json" };
      const limits = { headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_DOCUMENT_BYTES, maxRedirects: 2 };
      const answer = await callOutside(didWebUrl(parsed.id, rules), limits, rules);
      if (answer.status !== 200) throw new Error(`The DID document's place answers ${answer.status}`);
      const didDocument = JSON.parse(answer.body.toString("utf8")) as DIDDocument;
      return { didDocument, didDocumentMetadata: {}, didResolutionMetadata: { contentType: "application/did+json" } };
    },
  };
}

/** Return the URL of a did:web's document. `id` is the part after `did:web:`. */
export function didWebUrl(id: string, rules: OutboundRules): string {
  const [host = "", ...path] = id.split(":").map(decodeURIComponent);
  if (!/^[\w.-]+(:\d{1,5})?$/.test(host) || path.some((part) => !part || /[/\\?#]|^\.{1,2}$/.test(part))) {
    throw new Error("The did:web names no host and path");
  }
  const local = rules.allowLoopback && /^(localhost|127\.0\.0\.1)(:|$)/.test(host);
  const folder = path.length > 0 ? path.map(encodeURIComponent).join("/") : ".well-known";
  return `${local ? "http" : "https"}://${host}/${folder}/did.json`;
}
