import { randomBytes } from "node:crypto";
import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ed25519 } from "@ucanto/principal";

/** Seed of the signing key, 64 hexadecimal digits; absent until the first rotation. */
const seedFile = "signing.key";
/** The did:key of each former signing key, one a line. */
const previousFile = "signing-previous.txt";

/** Keys that rotations stored in `dataDir`/keys. */
export type KeptSigningKeys = { seed: string | undefined; previous: `did:key:${string}`[] };

export async function readSigningKeys(dataDir: string): Promise<KeptSigningKeys> {
  const [seed, previous] = await Promise.all([readKept(dataDir, seedFile), readKept(dataDir, previousFile)]);
  return {
    seed: seed?.trim(),
    previous: (previous ?? "").split("\n").filter((line) => line.startsWith("did:key:")) as `did:key:${string}`[],
  };
}

/**
 * Replace the signing key. `current` is its did:key; it is stored as a former key, so that its signatures still verify. After a
 * crash during the rotation the current key stays in use.
 * @returns the new key's did:key
 */
export async function rotateSigningKey(dataDir: string, current: `did:key:${string}`): Promise<`did:key:${string}`> {
  const folder = join(dataDir, "keys");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await appendFile(join(folder, previousFile), `${current}\n`, { mode: 0o600, flush: true });
  const seed = randomBytes(32);
  const draft = join(folder, `${seedFile}.${process.pid}`);
  await writeFile(draft, `${seed.toString("hex")}\n`, { mode: 0o600, flush: true });
  await rename(draft, join(folder, seedFile));
  return (await ed25519.derive(seed)).verifier.did();
}

async function readKept(dataDir: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(dataDir, "keys", name), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
