import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPublicClient, http } from "viem";
import { participantsAbi } from "../../../../deployments/abi/participants.ts";
import { type ServerProcess, startServer } from "../../../../test/support/api-server.ts";
import { createTestWorld, type TestWorld } from "../../../../test/support/chain.ts";
import { testAdminKey } from "../../../../test/support/core.ts";

const ROWS = 6_000;
let world: TestWorld | undefined;
let server: ServerProcess | undefined;
after(async () => {
  await server?.stop("SIGKILL");
  await world?.close();
});

const authorization = `Bearer ${testAdminKey}`;

type Progress = { status: string; progress: { done: number; total: number; failed: number } };

async function progressOf(url: string, path: string): Promise<Progress> {
  return (await (await fetch(`${url}${path}`, { headers: { authorization } })).json()) as Progress;
}

test("an import that was killed continues at the next start and registers no household twice", {
  timeout: 480_000,
}, async () => {
  world = await createTestWorld({ blockSeconds: 0.3 });
  server = await startServer(world);
  const { url } = server;
  const body = ["did", ...Array.from({ length: ROWS }, (_, i) => `did:ixo:killed/${i}`)].join("\n");
  const headers = { authorization, "content-type": "text/csv" };
  const accepted = await fetch(`${url}/v1/households/import`, { method: "POST", headers, body });
  assert.equal(accepted.status, 202);
  const { url: path } = (await accepted.json()) as { url: string };

  // Each kill comes at another point of the work.
  for (const pause of process.env.HEARTH_LONG ? [100, 150, 700, 1_500, 400, 900] : [150, 900]) {
    await sleep(pause);
    await server.killAndStart();
  }
  let progress = await progressOf(url, path);
  for (let i = 0; i < 300 && ["queued", "running"].includes(progress.status); i++) {
    await sleep(100);
    progress = await progressOf(url, path);
  }
  assert.partialDeepStrictEqual(progress, {
    status: "succeeded",
    progress: { done: ROWS, total: ROWS, failed: 0 },
  });

  const client = createPublicClient({ transport: http(world.anvil.url) });
  const contract = { abi: participantsAbi, address: world.contracts.addresses.participants } as const;
  assert.equal(await client.readContract({ ...contract, functionName: "householdCount" }), ROWS);
  const skips = { ...contract, eventName: "HouseholdSkipped", fromBlock: 0n } as const;
  assert.equal((await client.getContractEvents(skips)).length, 0);
  await server.stop("SIGTERM");
});
