import { createHash } from "node:crypto";
import fc from "fast-check";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { mintToken } from "../../../api/platform/ucan/index.ts";
import { generateKey, type Key, mintDelegation } from "../../../api/platform/ucan/mint.ts";

// Tokens of the reference model: made at random, and judged by the words of the specification alone.

export const abilityWords = ["fs/list", "fs/read", "fs/write", "fs/delete", "fs/*", "*"] as const;
export type AbilityWord = (typeof abilityWords)[number];
export type Need = "fs/list" | "fs/read" | "fs/write" | "fs/delete";

export const contents = ["alpha\n", "beta one\nalpha two\n", "gamma", "", "alpha beta\nbeta\n"];

/** CIDv1, raw, sha2-256: that of any content of at most 1 MiB. */
export function cidOf(content: string): string {
  const hash = createHash("sha256").update(content).digest();
  return CID.createV1(0x55, createDigest(0x12, hash)).toString();
}

/** One link: what its issuer claims for its audience. */
export type LinkSpec = { words: AbilityWord[]; path: string; hidden?: string[]; cids?: string[] };
/** From the owner's link to the bearer's. */
export type TokenSpec = { links: LinkSpec[]; defect?: "expired" | "audience" };

export type ModelScope = { word: AbilityWord; path: string; hidden: string[]; cids: string[] | null };
export type ModelToken = { bearer: string; refused: string | undefined; scopes: ModelScope[] };

export const within = (folder: string, path: string) =>
  folder === "/" || folder === path || path.startsWith(`${folder}/`);

const gives: Record<AbilityWord, Need[]> = {
  "fs/list": ["fs/list"],
  "fs/read": ["fs/list", "fs/read"],
  "fs/write": ["fs/list", "fs/read", "fs/write"],
  "fs/delete": ["fs/list", "fs/read", "fs/delete"],
  "fs/*": ["fs/list", "fs/read", "fs/write", "fs/delete"],
  "*": ["fs/list", "fs/read", "fs/write", "fs/delete"],
};
export const hasAbility = ({ word }: ModelScope, need: Need) => gives[word].includes(need);

function covers(parent: AbilityWord, child: AbilityWord): boolean {
  if (parent === "*" || parent === child) return true;
  if (parent === "fs/*") return child !== "*";
  return child !== "*" && child !== "fs/*" && gives[parent].includes(child);
}

export const revealsAll = (hidden: readonly string[]) => hidden.includes("*") || hidden.includes("/");

function narrower(parent: readonly string[], child: readonly string[]): boolean {
  if (revealsAll(parent)) return true;
  return child.every((each) => {
    if (each === "*" || each === "/") return false;
    if (!each.startsWith("/")) return parent.includes(each);
    return parent.some((folder) => folder.startsWith("/") && within(folder, each));
  });
}

/** What the chain gives, or the code that it is refused with. */
export function foldToken({ links, defect }: TokenSpec): Pick<ModelToken, "refused" | "scopes"> {
  if (defect !== undefined) return { refused: defect === "expired" ? "EXPIRED" : "WRONG_AUDIENCE", scopes: [] };
  let given: ModelScope[] = [];
  for (const [place, link] of links.entries()) {
    const own: ModelScope[] = [];
    for (const word of new Set(link.words)) {
      const claim = { word, path: link.path, hidden: link.hidden ?? [] };
      if (place === 0) {
        own.push({ ...claim, cids: link.cids ?? null });
        continue;
      }
      const parent = given.find(
        (each) =>
          covers(each.word, word) &&
          within(each.path, link.path) &&
          narrower(each.hidden, claim.hidden) &&
          (link.cids === undefined || each.cids === null || link.cids.every((cid) => each.cids?.includes(cid))),
      );
      if (parent === undefined) return { refused: "ESCALATION", scopes: [] };
      own.push({ ...claim, cids: link.cids ?? parent.cids });
    }
    given = own;
  }
  return { refused: undefined, scopes: given };
}

const folders = ["/", "/", "/a", "/docs", "/docs/b", "/a/b"];
const someCids = contents.slice(0, 3).map(cidOf);
const hiddenLists = [["*"], ["*"], ["/docs"], ["/a", "/docs/.h"], ["/"], someCids.slice(0, 1), []];

const link = fc.record(
  {
    words: fc.uniqueArray(fc.constantFrom(...abilityWords), { minLength: 1, maxLength: 2 }),
    path: fc.constantFrom(...folders),
    hidden: fc.constantFrom(...hiddenLists),
    cids: fc.constantFrom<string[]>(someCids.slice(0, 1), someCids.slice(0, 2), []),
  },
  { requiredKeys: ["words", "path"] },
);
const broad = fc.record(
  { words: fc.constant<AbilityWord[]>(["fs/*"]), path: fc.constant("/"), hidden: fc.constant<string[]>(["*"]) },
  { requiredKeys: ["words", "path"] },
);
const useful = fc.record(
  {
    words: fc.constantFrom<AbilityWord[]>(
      ["fs/write"],
      ["fs/*"],
      ["fs/write", "fs/delete"],
      ["fs/read"],
      ["fs/delete"],
    ),
    path: fc.constantFrom(...folders),
    hidden: fc.constantFrom(...hiddenLists),
  },
  { requiredKeys: ["words", "path"] },
);

export const tokenSpec: fc.Arbitrary<TokenSpec> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(useful).map((links) => ({ links })) },
  { weight: 4, arbitrary: fc.tuple(link).map((links) => ({ links })) },
  { weight: 5, arbitrary: fc.tuple(broad, useful).map((links) => ({ links })) },
  { weight: 4, arbitrary: fc.tuple(broad, link).map((links) => ({ links })) },
  { weight: 2, arbitrary: fc.tuple(useful, link).map((links) => ({ links })) },
  { weight: 2, arbitrary: fc.tuple(broad, link, link).map((links) => ({ links })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<TokenSpec["defect"]>("expired", "audience").map((defect) => ({
      links: [{ words: ["fs/*" as const], path: "/" }],
      ...(defect === undefined ? {} : { defect }),
    })),
  },
);

const others = await Promise.all([generateKey(), generateKey(), generateKey()]);

/** Sign the chain: owner → one key after the other → service. */
export async function mintModelToken(owner: Key, service: string, spec: TokenSpec, now: Date): Promise<ModelToken> {
  const inAnHour = Math.floor(now.getTime() / 1000) + 3600;
  const proofs: Awaited<ReturnType<typeof mintDelegation>>[] = [];
  let bearer = "";
  for (const [place, { words, path, hidden, cids }] of spec.links.entries()) {
    const last = place === spec.links.length - 1;
    const next = others[place]?.did() ?? service;
    const nb = { ...(hidden === undefined ? {} : { hidden }), ...(cids === undefined ? {} : { cids }) };
    const options = {
      issuer: place === 0 ? owner : (others[place - 1] ?? owner),
      audience: last ? (spec.defect === "audience" ? owner.did() : service) : next,
      owner: owner.did(),
      abilities: words,
      path,
      ...(Object.keys(nb).length === 0 ? {} : { nb }),
      expiration: spec.defect === "expired" ? inAnHour - 7200 : inAnHour,
      proofs: proofs.slice(-1),
    };
    if (last) bearer = `Bearer ${await mintToken(options)}`;
    else proofs.push(await mintDelegation(options));
  }
  return { bearer, ...foldToken(spec) };
}
