import { randomBytes } from "node:crypto";
import type { PlatformConfig } from "../config.ts";
import { type SealingKeys, sealingKeyId } from "../secret-box.ts";
import { loadOrCreateSecret, readSecretLines, replaceSecret } from "../secrets.ts";

/** `dataDir`/keys/sealing.key: one key a line, the current one first. There is none until the first rotation. */
const name = "sealing";

type KeyConfig = Pick<PlatformConfig, "dataDir" | "sealing"> & { chain: Pick<PlatformConfig["chain"], "schemeKey"> };

/** Whether the sealing keys are in the data folder: several machines share theirs as variables. */
export function keysAreInFolder({ chain, sealing }: KeyConfig): boolean {
  return chain.schemeKey === undefined && sealing.current === undefined;
}

/** Read the scheme key, which is created on first use, and the sealing keys. */
export async function readSealingKeys(config: KeyConfig): Promise<SealingKeys> {
  const { dataDir, chain, sealing } = config;
  const scheme = chain.schemeKey ?? (await loadOrCreateSecret(dataDir, "scheme"));
  const kept = keysAreInFolder(config) ? await readSecretLines(dataDir, name) : [];
  const [current = scheme, ...others] = sealing.current === undefined ? kept : [sealing.current];
  const previous = [...others, ...sealing.previous, scheme].filter((key) => key !== current);
  return { scheme, current, previous: [...new Set(previous)] };
}

/** The ids of all keys with which these can open. */
export function knownIdsOf({ current, previous }: SealingKeys): string[] {
  return [current, ...previous].map(sealingKeyId);
}

/** Put a new key before the others in the folder, unless an interrupted rotation has already done so. */
export async function beginFolderRotation(config: KeyConfig): Promise<void> {
  const kept = await readSecretLines(config.dataDir, name);
  if (kept.length > 1) return;
  const { current } = await readSealingKeys(config);
  await replaceSecret(config.dataDir, name, [randomBytes(32).toString("hex"), current]);
}

/** Keep only the current key in the folder, and destroy the others. */
export async function endFolderRotation({ dataDir }: KeyConfig): Promise<void> {
  const [current] = await readSecretLines(dataDir, name);
  if (current !== undefined) await replaceSecret(dataDir, name, [current]);
}
