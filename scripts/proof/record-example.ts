/**
 * Records docs/examples: a real proof and what a reader needs to check it, from a chain of its own.
 * Run it again when the format of proofs changes: node scripts/proof/record-example.ts
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openItmoActions } from "../../api/itmo/proof/testing.ts";
import { openRegistryTest } from "../../api/registry/testing.ts";
import { encodeItmoBlockId } from "../../indexer/schema/ids.ts";

const folder = join(import.meta.dirname, "../../docs/examples");
const publicUrl = "https://hearth.example";
/** Known to everybody, so it vouches for nothing. */
const serviceKey = "5e".repeat(32);

const test = await openRegistryTest({ PUBLIC_URL: publicUrl, SERVICE_KEY: serviceKey });
try {
  const itmo = await openItmoActions(test.world);
  const block = await itmo.mint(1_000n);
  const part = itmo.transfer(block, 1n, 600n, "CHE", "Sold under contract 7, café");
  await itmo.inOneBlock([part, itmo.useForNdc(block, 1n, 400n)], 3);
  const save = async (path: string, name: string) => {
    const answer = await test.app.request(path);
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), await answer.text());
  };
  await save(`/v1/itmo/${encodeItmoBlockId(block)}/proof?action=1`, "itmo-proof.json");
  await save("/.well-known/did.json", "did.json");
  await save("/v1/status-lists/1", "status-list.jwt");
} finally {
  await test.close();
}
