import { storableText } from "../wire/storable.ts";

/** In characters. */
const longestTitle = 60;

/** Make a session's title from the first words of its first message. */
export function titleOf(message: string): string {
  const words = storableText(message).replace(/\s+/g, " ").trim();
  if (words.length <= longestTitle) return words === "" ? "Untitled" : words;
  const cut = words.slice(0, longestTitle);
  const end = cut.lastIndexOf(" ");
  return `${(end > longestTitle / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`;
}
