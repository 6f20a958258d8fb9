import type { SecretBox } from "../secret-box.ts";

/** What the holder of a link may do. */
type Purpose = "confirm" | "end";
export type LinkTokens = ReturnType<typeof createTokens>;

/** Tokens of the links in messages: sealed by this system, so nothing is stored for them. */
export function createTokens(box: SecretBox) {
  return {
    create: (subscriptionId: string, purpose: Purpose) => box.seal(`${purpose} ${subscriptionId}`),
    /** The subscription of a token; undefined for one that was not made here for this purpose. */
    read(token: string, purpose: Purpose): string | undefined {
      let text: string;
      try {
        text = box.open(token);
      } catch {
        return undefined;
      }
      return text.startsWith(`${purpose} ns_`) ? text.slice(purpose.length + 1) : undefined;
    },
  };
}
