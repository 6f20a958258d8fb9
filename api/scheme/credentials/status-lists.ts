import { createHash } from "node:crypto";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import type { Database } from "../../platform/db/index.ts";
import { encodeBits } from "./bitstring.ts";
import { type ListShape, type ListState, readListState, readRevoked } from "./store.ts";
import type { SignCredential } from "./veramo-issuer.ts";
import { statusContext, v1Context } from "./vocabulary.ts";

/** The specification's minimum: a request for a list of that size does not reveal which credential is checked. */
const listSize = 131_072;
/** Only half of a list is allocated, so that a random entry is free at the second try on average, at worst. */
export const listShape: ListShape = { size: listSize, filled: listSize / 2 };
/** How long a verifier may cache a list, in milliseconds: after this time every verifier sees a revocation. */
export const listTtlMs = 60_000;

const maxCached = 64;

/** A list's credential as compact VC-JWT, as served. */
export type ServedList = { jwt: string; etag: string };

type Signed = ServedList & { revoked: number };
type StatusListDeps = { db: Database; sign: SignCredential; publicUrl: string };

/** Compose the address of a list. */
export function statusListUrl(publicUrl: string, list: number): string {
  return `${publicUrl}/v1/status-lists/${list}`;
}

/** The status lists as signed credentials. A list is signed again only after a bit was set. */
export class StatusLists {
  readonly #deps: StatusListDeps;
  readonly #signed = new BoundedCache<number, Signed>(maxCached);
  readonly #signing = new BoundedCache<string, Signed>(1);

  constructor(deps: StatusListDeps) {
    this.#deps = deps;
  }

  /** Read the list's current credential; undefined when no list has that number. */
  async read(list: number): Promise<ServedList | undefined> {
    const state = await readListState(this.#deps.db, list);
    if (state === undefined) return undefined;
    const known = this.#signed.get(list);
    if (known?.revoked === state.revoked) return known;
    // Concurrent callers that find the same change sign it once.
    const signed = await this.#signing.through(`${list}:${state.revoked}`, () => this.#sign(list));
    if (signed === null) return undefined;
    this.#signed.set(list, signed);
    return signed;
  }

  /** Read a list by the address in credentials; undefined for every other address. */
  async readByUrl(url: string): Promise<string | undefined> {
    const list = Number(/\/([1-9]\d{0,8})$/.exec(url)?.[1]);
    if (statusListUrl(this.#deps.publicUrl, list) !== url) return undefined;
    return (await this.read(list))?.jwt;
  }

  async #sign(list: number): Promise<Signed | null> {
    const state = await readRevoked(this.#deps.db, list);
    if (state === undefined) return null;
    const encodedList = await encodeBits(state.revokedEntries, listShape.size);
    const jwt = await this.#deps.sign(describeList(statusListUrl(this.#deps.publicUrl, list), state, encodedList));
    return { jwt, etag: `"${createHash("sha256").update(jwt).digest("base64url")}"`, revoked: state.revoked };
  }
}

function describeList(url: string, { changedAt }: ListState, encodedList: string) {
  return {
    "@context": [v1Context, statusContext],
    id: url,
    type: ["VerifiableCredential", "BitstringStatusListCredential"],
    issuanceDate: changedAt.toISOString(),
    credentialSubject: {
      id: `${url}#list`,
      type: "BitstringStatusList",
      statusPurpose: "revocation",
      encodedList,
      ttl: listTtlMs,
    },
  };
}
