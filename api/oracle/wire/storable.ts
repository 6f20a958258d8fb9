/** Remove what the database cannot store: NUL characters, unpaired surrogates, and values that JSON lacks. */
export function storable<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? storableText(part) : part)),
  ) as T;
}

/** The same for a text. */
export function storableText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}
