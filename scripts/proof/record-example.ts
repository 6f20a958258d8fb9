/**
 * Records docs/examples: a real proof and what a reader needs to check it, from a separate chain. Run it again when the format of
 * proofs changes, then write the new hash and contract into docs/proofs.md: node scripts/proof/record-example.ts
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  exampleApproach,
  exampleAuthorization,
  exampleConversion,
  finalisedConversion,
  openItmoTest,
  requireStatus,
} from "../../test/support/itmo.ts";
import { actions, inOneBlock } from "../../test/support/itmo-proof.ts";
import { itmoBlockIdOf } from "../../wire/src/itmo-ids.ts";

const folder = join(import.meta.dirname, "../../docs/examples");
const publicUrl = "https://hearth.example";
/** Publicly known, so it proves nothing. */
const serviceKey = "5e".repeat(32);

const test = await openItmoTest({ PUBLIC_URL: publicUrl, SERVICE_KEY: serviceKey });
try {
  requireStatus(await test.regulator("POST", "/itmo/cooperative-approaches", exampleApproach()), 201);
  requireStatus(await test.regulator("POST", "/itmo/authorizations", exampleAuthorization()), 201);
  const { blockId } = await finalisedConversion(test, exampleConversion({ amount: 1_000_000 }));
  const block = itmoBlockIdOf(1, 1n);
  const transfer = actions.transfer({ block, firstId: 1n, lastId: 600n }, "CHE", "Sold under contract 7, café");
  await inOneBlock(test.world, [transfer, actions.useForNdc({ block, firstId: 1n, lastId: 400n }, 2025)], 3);
  const save = async (path: string, name: string) => {
    const answer = await test.app.request(path);
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), await answer.text());
  };
  await save(`/v1/itmo/${blockId}/proof?action=1`, "itmo-proof.json");
  await save("/.well-known/did.json", "did.json");
  await save("/v1/status-lists/1", "status-list.jwt");
} finally {
  await test.close();
}
