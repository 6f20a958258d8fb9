import type { Manifest } from "../../plugins/host/plugin.ts";

/** A capability as the offline model sees it. */
export type Capability = { name: string; manifest: Manifest; isLoaded: boolean; tools: { name: string }[] };

/** Words that do not describe a subject. */
const common = new Set(
  "a an and are as at be by can do for from has have how i in is it me my of on or please show tell that the this to use user users want wants what when where which who will with you your".split(
    " ",
  ),
);

const wordsOf = (text: string) =>
  new Set(
    (text.toLowerCase().match(/\p{L}+/gu) ?? [])
      .filter((word) => word.length > 2 && !common.has(word))
      // Plural and singular are equal: vouchers, voucher.
      .map((word) => (word.endsWith("s") && word.length > 3 ? word.slice(0, -1) : word)),
  );

/**
 * Find the capability whose name, tags, summary and whenToUse share the most words with a question; undefined when none shares
 * any.
 */
export function bestMatch(question: string, capabilities: Capability[]): Capability | undefined {
  const asked = wordsOf(question);
  let best: { capability: Capability; score: number } | undefined;
  for (const capability of capabilities) {
    const { title, summary, whenToUse, tags, examples = [] } = capability.manifest;
    const strong = wordsOf([capability.name, title, ...tags].join(" "));
    const weak = wordsOf([summary, ...whenToUse, ...examples].join(" "));
    const score = [...asked].reduce((sum, word) => sum + (strong.has(word) ? 3 : weak.has(word) ? 1 : 0), 0);
    if (score > 0 && score > (best?.score ?? 0)) best = { capability, score };
  }
  return best?.capability;
}
