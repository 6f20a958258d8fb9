import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createPublicClient, http } from "viem";
import { participantsAbi } from "../../../deployments/abi/participants.ts";
import { freePort } from "../../../test/support/anvil.ts";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import { testAdminKey } from "../../testing.ts";

const ROWS = 6_000;
let world: TestWorld | undefined;
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await world?.close();
});

/** A server process over the world's folder that answers at `url`. */
async function startServer({ dataDir, anvil }: TestWorld, port: number): Promise<ChildProcess> {
  const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
  const variables = { DATA_DIR: dataDir, CHAIN_PORT: String(anvil.port), PORT: String(port) };
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...variables, ADMIN_API_KEY: testAdminKey, LOG_LEVEL: "silent" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.push(child);
  for (let i = 0; i < 600; i++) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    const up = await fetch(`http://127.0.0.1:${port}/v1/keys`).then(
      () => true,
      () => false,
    );
    if (up) return child;
    await sleep(100);
  }
  throw new Error("The server does not listen.");
}

const authorization = `Bearer ${testAdminKey}`;

type Progress = { status: string; progress: { done: number; total: number; failed: number } };

async function progressOf(url: string, path: string): Promise<Progress> {
  return (await (await fetch(`${url}${path}`, { headers: { authorization } })).json()) as Progress;
}

test("an import that is killed goes on at the next start and registers no household twice", {
  timeout: 480_000,
}, async () => {
  world = await createTestWorld({ blockSeconds: 0.3 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let server = await startServer(world, port);
  const body = ["did", ...Array.from({ length: ROWS }, (_, i) => `did:ixo:killed/${i}`)].join("\n");
  const headers = { authorization, "content-type": "text/csv" };
  const accepted = await fetch(`${url}/v1/households/import`, { method: "POST", headers, body });
  assert.equal(accepted.status, 202);
  const { url: path } = (await accepted.json()) as { url: string };

  // Each kill comes at another moment of the work.
  for (const pause of process.env.HEARTH_LONG ? [100, 150, 700, 1_500, 400, 900] : [150, 900]) {
    await sleep(pause);
    server.kill("SIGKILL");
    await once(server, "exit");
    server = await startServer(world, port);
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
  server.kill("SIGTERM");
  await once(server, "exit");
});
