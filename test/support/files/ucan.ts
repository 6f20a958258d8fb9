import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CAR } from "@ucanto/core";
import type { Block, Delegation } from "@ucanto/interface";
import type { Resolvable } from "did-resolver";
import { createDidResolver, didKeyMethod } from "../../../api/platform/dids/did-resolution.ts";
import { openIdentity, type ServiceIdentity } from "../../../api/platform/identity/identity.ts";
import { decodeChain, mintToken, type OpenAuthority, openAuthority } from "../../../api/platform/ucan/index.ts";
import { generateKey, type Key, type MintOptions, mintDelegation } from "../../../api/platform/ucan/mint.ts";
import { openTestCore, type TestCore } from "../core.ts";

export type TestAuthority = {
  core: TestCore;
  authority: OpenAuthority;
  identity: ServiceIdentity;
  /** Moves the service's clock, in milliseconds. */
  clock: { now: () => Date; skip: (milliseconds: number) => void };
  /** Revoke a link of a token, counted from the bearer, without asking who may. */
  revoke: (token: string, place: number) => Promise<void>;
  /** Another authority over the same database, as a restart or a second process would have. */
  reopen: () => OpenAuthority;
  close: () => Promise<void>;
};

/** For tests: an authority on a real database in a temporary folder. */
export async function openTestAuthority(
  env: Record<string, string> = {},
  resolver: Resolvable = createDidResolver([didKeyMethod], Date.now),
): Promise<TestAuthority> {
  let skipped = 0;
  const clock = {
    now: () => new Date(Date.now() + skipped),
    skip: (milliseconds: number) => {
      skipped += milliseconds;
    },
  };
  const core = await openTestCore(env, { clock });
  const identity = await openIdentity({ ...core.config, publicUrl: "http://localhost:3000" });
  const { db, exclusive } = core.deps;
  const reopen = () => openAuthority({ db, exclusive, clock, identity, resolver });
  const authority = reopen();
  const revoke = async (token: string, place: number) => {
    const link = decodeChain(token).links[place];
    if (link === undefined) throw new Error(`The token has no link ${place}.`);
    const { identity, cid, issuer, audience } = link;
    const row = {
      identity,
      cid,
      owner: issuer,
      issuer,
      audience,
      revokedBy: issuer,
      revokedAt: clock.now(),
      expiresAt: null,
    };
    await db.transaction((tx) => authority.revocations.insert(tx, row));
    await authority.revocations.committed(identity);
  };
  return { core, authority, identity, clock, revoke, reopen, close: core.close };
}

/** An identity without a database. */
export async function openTestIdentity(publicUrl = "http://localhost:3000"): Promise<ServiceIdentity> {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-identity-"));
  try {
    return await openIdentity({ dataDir, publicUrl, serviceKey: undefined });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

export const inSeconds = (seconds: number, from = new Date()) => Math.floor(from.getTime() / 1000) + seconds;

/** Keys and helpers for tests of chains: owner → alice → bob → service. */
export async function openCast(audience: string) {
  const [owner, alice, bob, mallory] = (await Promise.all([1, 2, 3, 4].map(generateKey))) as [Key, Key, Key, Key];
  const at = owner.did();
  const give = (from: Key, to: Key, options: Partial<MintOptions> = {}) =>
    mintDelegation({ issuer: from, audience: to.did(), owner: at, abilities: ["fs/read"], ...options });
  const bearer = (from: Key, options: Partial<MintOptions> = {}) =>
    mintToken({ issuer: from, audience, owner: at, abilities: ["fs/read"], ...options });
  return { audience, owner, alice, bob, mallory, give, bearer };
}

/** The blocks of a token, to be spoilt. */
export function openCar(token: string): { roots: Block[]; blocks: Map<string, Block> } {
  return CAR.decode(new Uint8Array(Buffer.from(token, "base64"))) as unknown as ReturnType<typeof openCar>;
}

export function packCar({ roots, blocks }: ReturnType<typeof openCar>): string {
  const bytes = CAR.encode({ roots, blocks } as unknown as Parameters<typeof CAR.encode>[0]);
  return Buffer.from(bytes).toString("base64");
}

/** A token whose root block is the delegation itself, with whatever other blocks. */
export function packDelegation(delegation: Pick<Delegation, "root">, ...others: Block[]): string {
  const root = delegation.root as Block;
  return packCar({ roots: [root], blocks: new Map([root, ...others].map((block) => [block.cid.toString(), block])) });
}
