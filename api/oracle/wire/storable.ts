/** The same value as the database can hold it: no NUL, no half of a surrogate pair, nothing that JSON does not know. */
export function storable<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? storableText(part) : part)),
  ) as T;
}

export function storableText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}

const longestTitle = 60;

/** A title made of a session's first message: its first words. */
export function titleOf(message: string): string {
  const words = storableText(message).replace(/\s+/g, " ").trim();
  if (words.length <= longestTitle) return words === "" ? "Untitled" : words;
  const cut = words.slice(0, longestTitle);
  const end = cut.lastIndexOf(" ");
  return `${(end > longestTitle / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`;
}
