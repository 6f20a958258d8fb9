/** What a capability allows; `fs/write` ⊇ `fs/read` ⊇ `fs/list`, `fs/delete` ⊇ `fs/read`. */
export const abilities = ["fs/list", "fs/read", "fs/write", "fs/delete"] as const;
export type Ability = (typeof abilities)[number];

/** Lower-case hexadecimal of a multihash's bytes: CIDs in any multibase and codec of one multihash share it. */
export type MultihashKey = string;

/** What of the hidden a capability shows: everything, files within the paths, or bytes by CID fetch alone. */
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
  /** DID whose authority is used: the namespace, and the actor of what is done. */
  owner: string;
  /** DID that issued the bearer: the last of the chain. */
  invoker: string;
  tokenCid: string;
  expiresAt: Date;
  scopes: readonly Scope[];
  /** The owner's own token, with an ability over the whole namespace: for the routes that are the owner's alone. */
  root: boolean;
  /** The run and tool call of an agent, from the bearer's facts. */
  agent?: { runId?: string; toolCallId?: string };
  /** Ask again before a long work commits. @throws AppError EXPIRED, REVOKED when the token has ended since it was verified */
  confirm: () => Promise<void>;
};
