import type { Registry } from "../../registry/index.ts";

/** Households that one request to the registry reads. */
const DIDS_PER_PART = 5_000;

/** Find the numbers of households in the registry, in the order of their DIDs; 0 for one that is not registered. */
export async function householdNumbers(
  { households }: Pick<Registry, "households">,
  dids: readonly string[],
): Promise<Uint32Array> {
  const found = new Uint32Array(dids.length);
  for (let from = 0; from < dids.length; from += DIDS_PER_PART) {
    const part = dids.slice(from, from + DIDS_PER_PART);
    const known = await households.byDids(part);
    for (const [i, did] of part.entries()) found[from + i] = known.get(did)?.household ?? 0;
  }
  return found;
}
