import { z } from "zod";

export type UrlPart = "user" | "path" | "query" | "fragment";

const parts: Record<UrlPart, { isIn: (url: string) => boolean; words: string }> = {
  user: {
    isIn: (url) => URL.canParse(url) && (new URL(url).username !== "" || new URL(url).password !== ""),
    words: "a user name or a password",
  },
  path: { isIn: (url) => URL.canParse(url) && !["", "/"].includes(new URL(url).pathname), words: "a path" },
  query: { isIn: (url) => url.replace(/#.*$/s, "").includes("?"), words: 'a query: the part from "?" on' },
  fragment: { isIn: (url) => url.includes("#"), words: 'a fragment: the part from "#" on' },
};

/**
 * Make the check that a URL lacks parts that its use would lose, or that would break the URLs that are made of it.
 * @param subject begins each message; empty for a variable, whose name is shown before it
 */
export function refuseUrlParts(refused: readonly UrlPart[], subject = "The URL ") {
  return (url: string, context: z.RefinementCtx): void => {
    for (const part of refused) {
      if (!parts[part].isIn(url)) continue;
      const message = `${subject}must not have ${parts[part].words}`;
      context.addIssue({ code: "custom", message, params: { rule: `url-without-${part}` } });
    }
  };
}

/** A variable with an http(s) URL that lacks these parts. Slashes at its end are left out. */
export const httpVariable = (refused: readonly UrlPart[]) =>
  z
    .url({ protocol: /^https?$/ })
    .superRefine(refuseUrlParts(refused, ""))
    .transform((url) => url.replace(/\/+$/, ""));

/** A variable with an address to which paths are added. */
export const addressVariable = httpVariable(["query", "fragment"]);

/** The check of a server's address, to which paths are added. */
export const refuseMoreThanAddress = refuseUrlParts(["user", "query", "fragment"]);
