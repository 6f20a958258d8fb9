import { codeText } from "../../../../wire/src/code-text.ts";
import { encodeId, type IdKind } from "../../../../wire/src/ids.ts";
import type traced from "../../i18n/en/traced.json";
import type { StateKind } from "../../show/state-badge.tsx";
import { itmoPurposes } from "../itmo-purposes.ts";
import { itmoActions, itmoSubtypes } from "./itmo-sentence.ts";

/** Name of an argument of an event that no record of a trace has. */
export type ArgumentName = keyof typeof traced.argument;

/** How an argument is shown. The chain has amounts in millionths, days since 1970, and seconds since 1970. */
export type ArgumentKind =
  | "carbon"
  | "code"
  | "count"
  | "day"
  | "id"
  | "kg"
  | "moment"
  | "plain"
  | "price"
  | "tonnes"
  | "yesNo";

const kinds: Record<string, ArgumentKind> = Object.fromEntries(
  Object.entries({
    carbon: ["amount", "carbonAmount", "debt", "remaining", "rest", "setOff", "stake", "total", "value"],
    price: ["price", "stablecoinAmount"],
    kg: ["verifiedReduction"],
    tonnes: ["quantity"],
    day: ["date", "endDay", "expiryDay", "finalFrom", "periodEnd", "periodStart", "startDay"],
    moment: ["credentialIssuedAt", "deadline", "heldUntil"],
    count: ["allocationCount", "count", "sampleSize", "size"],
  } satisfies Partial<Record<ArgumentKind, string[]>>).flatMap(([kind, names]) =>
    names.map((name) => [name, kind as ArgumentKind]),
  ),
);

/** Arguments with a number that has a public id. */
const ids: Record<string, IdKind> = {
  voucher: "voucher",
  replaces: "voucher",
  redemption: "redemption",
  claim: "kpt",
  conversion: "conversion",
  blockId: "itmoBlock",
};

/** Arguments whose number stands for a word, in the contract's order, and where the words are. */
const enums: Record<string, { words: readonly string[]; of: WordKind }> = {
  action: { words: itmoActions, of: "relation" },
  subtype: { words: itmoSubtypes, of: "relation" },
  firstTransfer: { words: ["", "Authorization", "Issuance", "Use or cancellation"], of: "relation" },
  purpose: { words: ["", ...itmoPurposes], of: "name" },
  consent: { words: ["none", "pin", "code", "signature"], of: "consent" },
  group: { words: ["reference", "intervention"], of: "word" },
  refund: { words: ["voucher", "certificate"], of: "word" },
  status: { words: ["", "pending", "valid", "suspended", "revoked"], of: "certificate" },
  // Text in other events.
  reason: { words: ["other", "refused", "absent", "moved", "ineligible", "incomplete"], of: "word" },
};

/** Arguments with a code in ASCII, such as a Party's. */
const codes = [
  "acquiringParty",
  "approachId",
  "country",
  "firstTransferringParty",
  "registryId",
  "transferringParty",
  "usingParty",
];

/** An argument as it is shown: its name, and its value as text with the kind of the value. */
export type ArgumentLine = { key: string; name: string; text: string; kind: ArgumentKind; word?: WordKind };

/** Where the words of an argument are: a kind of state, the words of records, those of relations, or names that are not translated. */
export type WordKind = StateKind | "word" | "relation" | "name";

/** Lay out an event's arguments as lines: those of a part follow it. What is empty is left out. */
export function argumentsOf(event: string, data: unknown, path = ""): ArgumentLine[] {
  if (typeof data !== "object" || data === null) return [];
  return Object.entries(data).flatMap(([name, value]): ArgumentLine[] => {
    const key = `${path}${name}`;
    if (value === null || value === undefined || value === "") return [];
    if (Array.isArray(value) || typeof value === "object")
      return Object.entries(value).flatMap(([place, each]) =>
        typeof each === "object"
          ? argumentsOf(event, each, `${key}.${place}.`)
          : argumentsOf(event, { [Array.isArray(value) ? name : place]: each }, `${key}.${place}.`),
      );
    const shown = shownOf(event, name, value);
    // An empty code, a choice that was not made, and the year 0 stand for none.
    return shown.text === "" || (name === "ndcYear" && shown.text === "0") ? [] : [{ key, name, ...shown }];
  });
}

function shownOf(event: string, name: string, value: unknown): Omit<ArgumentLine, "key" | "name"> {
  const text = String(value);
  if (typeof value === "boolean") return { text, kind: "yesNo" };
  const word = /^\d+$/.test(text) ? enums[name]?.words[Number(text)] : undefined;
  if (word !== undefined) return { text: word, kind: "plain", word: enums[name]?.of ?? "word" };
  const id = ids[name];
  if (id !== undefined && /^\d+$/.test(text)) return { text: encodeId(id, BigInt(text)), kind: "id" };
  if (codes.includes(name)) return { text: codeText(text as `0x${string}`), kind: "plain" };
  if (/^0x[0-9a-f]+$/i.test(text)) return { text, kind: "code" };
  // The rest of a block that is split is another block.
  if (event === "BlockSplit" && name === "rest") return { text: encodeId("itmoBlock", BigInt(text)), kind: "id" };
  const kind = Object.hasOwn(kinds, name) && /^\d+$/.test(text) ? kinds[name] : undefined;
  return { text, kind: kind ?? "plain" };
}
