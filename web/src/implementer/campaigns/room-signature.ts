/**
 * Read a signed credential as people have it: a compact JWT, the credential as JSON, or the body of a request that holds either.
 *
 * @returns undefined when the text is none of them
 */
export function readSignature(text: string): unknown {
  const trimmed = text.trim();
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(trimmed)) return trimmed;
  const value = parse(trimmed);
  if (typeof value === "string") return readSignature(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return "verifiableCredential" in value && !("@context" in value) ? value.verifiableCredential : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
