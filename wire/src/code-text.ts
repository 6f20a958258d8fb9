/** A code of the contract (bytes of ASCII, zeros at the end) as text; empty where it is not set. */
export function codeText(bytes: `0x${string}`): string {
  let text = "";
  for (let i = 2; i + 1 < bytes.length; i += 2) {
    const code = Number.parseInt(bytes.slice(i, i + 2), 16);
    if (code !== 0) text += String.fromCharCode(code);
  }
  return text;
}

/** The bytes of a code, which must be ASCII. */
export function codeBytes(text: string): `0x${string}` {
  return `0x${Array.from(text, (symbol) => symbol.charCodeAt(0).toString(16).padStart(2, "0")).join("")}`;
}
