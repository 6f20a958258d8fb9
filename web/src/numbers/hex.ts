/** Bytes in lower-case hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The first bytes of a text's SHA-256, as hexadecimal. */
export async function digestHex(text: string, bytes = 32): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return hexOf(new Uint8Array(digest, 0, bytes));
}

/** Check that a text from the API is hexadecimal before it is signed. @throws RangeError */
export function asHex(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]*$/.test(text)) throw new RangeError(`${text} is not hexadecimal.`);
  return text as `0x${string}`;
}
