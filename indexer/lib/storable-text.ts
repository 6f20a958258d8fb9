/** Remove NUL characters from texts that anyone may write on chain, because a database cannot store them. */
export function storableTexts<T extends Record<string, unknown>>(args: T): T {
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value,
  ]);
  return Object.fromEntries(entries) as T;
}
