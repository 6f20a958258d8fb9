import { createHash } from "node:crypto";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import type { Database } from "../../platform/db/index.ts";
import { encodeBits } from "./bitstring.ts";
import { type ListShape, type ListState, readListState, readRevoked } from "./store.ts";
import type { SignCredential } from "./veramo-issuer.ts";
import { statusContext, v1Context } from "./vocabulary.ts";

/** The least that the specification allows: one among that many cannot be told by asking for its list. */
const listSize = 131_072;
/** Half of a list is given away: a random entry is then free at the second try on average, at worst. */
export const listShape: ListShape = { size: listSize, filled: listSize / 2 };
/** How long a verifier may keep a list: a revocation is seen by all after so long, milliseconds. */
export const listTtlMs = 60_000;

const maxCached = 64;

/** A list as it is served: its credential as compact VC-JWT. */
export type ServedList = { jwt: string; etag: string };

type Signed = ServedList & { revoked: number };
type StatusListDeps = { db: Database; sign: SignCredential; publicUrl: string };

/** Where a list is served. */
export function statusListUrl(publicUrl: string, list: number): string {
  return `${publicUrl}/v1/status-lists/${list}`;
}

/** The status lists as signed credentials, signed again when a bit was set and not before. */
export class StatusLists {
  readonly #deps: StatusListDeps;
  readonly #signed = new BoundedCache<number, Signed>(maxCached);
  readonly #signing = new BoundedCache<string, Signed>(1);

  constructor(deps: StatusListDeps) {
    this.#deps = deps;
  }

  /** The list's credential as of now; undefined when there is none of that number. */
  async read(list: number): Promise<ServedList | undefined> {
    const state = await readListState(this.#deps.db, list);
    if (state === undefined) return undefined;
    const known = this.#signed.get(list);
    if (known?.revoked === state.revoked) return known;
    // Callers that find the same change sign it once.
    const signed = await this.#signing.through(`${list}:${state.revoked}`, () => this.#sign(list));
    if (signed === null) return undefined;
    this.#signed.set(list, signed);
    return signed;
  }

  /** As read, by the address that credentials name; undefined for every other address. */
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
