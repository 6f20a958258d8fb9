import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Resolvable } from "did-resolver";
import { createDidResolver, didKeyMethod } from "../../claims/did-resolution.ts";
import { openIdentity, type ServiceIdentity } from "../../identity/identity.ts";
import { openTestCore, type TestCore } from "../../testing.ts";
import { type OpenAuthority, openAuthority } from "./authority.ts";
import { generateKey, type Key, type MintOptions, mintDelegation, mintToken } from "./mint.ts";

export type TestAuthority = {
  core: TestCore;
  authority: OpenAuthority;
  identity: ServiceIdentity;
  /** Moves the service's clock, in milliseconds. */
  clock: { now: () => Date; skip: (milliseconds: number) => void };
  /** Another authority over the same database, as a restart or a second process would have. */
  reopen: () => OpenAuthority;
  close: () => Promise<void>;
};

/** For tests: an authority on a real database in a folder of its own. */
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
  return { core, authority: reopen(), identity, clock, reopen, close: core.close };
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

/** Keys and shorthands for tests of chains: owner → alice → bob → service. */
export async function openCast(audience: string) {
  const [owner, alice, bob, mallory] = (await Promise.all([1, 2, 3, 4].map(generateKey))) as [Key, Key, Key, Key];
  const at = owner.did();
  const give = (from: Key, to: Key, options: Partial<MintOptions> = {}) =>
    mintDelegation({ issuer: from, audience: to.did(), owner: at, abilities: ["fs/read"], ...options });
  const bearer = (from: Key, options: Partial<MintOptions> = {}) =>
    mintToken({ issuer: from, audience, owner: at, abilities: ["fs/read"], ...options });
  return { owner, alice, bob, mallory, give, bearer };
}
