/** Texts that anybody may write on chain, as a database can hold them: without the character zero. */
export function storableTexts<T extends Record<string, unknown>>(args: T): T {
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value,
  ]);
  return Object.fromEntries(entries) as T;
}
