/** What a capability allows; `fs/write` ⊇ `fs/read` ⊇ `fs/list`, `fs/delete` ⊇ `fs/read`. */
export const abilities = ["fs/list", "fs/read", "fs/write", "fs/delete"] as const;
export type Ability = (typeof abilities)[number];

/** Lower-case hexadecimal of a multihash's bytes: CIDs in any multibase and codec of one multihash share it. */
export type MultihashKey = string;

/** Which hidden files a capability reveals: all, those within the paths, or bytes fetched by CID. */
export type HiddenReveal = { all: boolean; paths: readonly string[]; cids: ReadonlySet<MultihashKey> };

/** One capability of the token after folding its chain. `cids` null: not restricted to CIDs. */
export type Scope = {
  abilities: ReadonlySet<Ability>;
  path: string;
  cids: ReadonlySet<MultihashKey> | null;
  hidden: HiddenReveal;
};

/** What a verified bearer token allows. */
export type Grant = {
  /** DID whose authority is used: it names the namespace, and is the actor in the audit. */
  owner: string;
  /** DID that issued the bearer: the last of the chain. */
  invoker: string;
  tokenCid: string;
  expiresAt: Date;
  scopes: readonly Scope[];
  /** True for the owner's own token with an ability over the whole namespace; owner-only routes need it. */
  root: boolean;
  /** The run and tool call of an agent, from the bearer's facts. */
  agent?: { runId?: string; toolCallId?: string };
  /** Check the token again, before long work commits. @throws AppError EXPIRED, REVOKED when it has ended meanwhile */
  confirm: () => Promise<void>;
};
