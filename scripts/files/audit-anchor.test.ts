import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { encodeAbiParameters, type Hex, keccak256, parseAbiParameters, toHex } from "viem";
import { openApp } from "../../api/app.ts";
import { createLog } from "../../api/platform/log.ts";
import { generateKey, mintToken } from "../../api/platform/ucan/mint.ts";
import { createTestWorld, type TestWorld } from "../../test/support/chain.ts";
import { testAdminKey } from "../../test/support/core.ts";
import { runCommand } from "../run-command.ts";

let world: TestWorld;
before(async () => {
  world = await createTestWorld();
  const config = world.config({ ADMIN_API_KEY: testAdminKey });
  const { app, deps, close } = await openApp(config, createLog(config));
  try {
    const audience = deps.files.identity.did;
    const token = await mintToken({ issuer: await generateKey(), audience, abilities: ["fs/*"] });
    const headers = { authorization: `Bearer ${token}`, "content-type": "text/plain" };
    const made = await app.request("/api/fs/files?path=/notes.txt", { method: "POST", headers, body: "first" });
    assert.equal(made.status, 201, await made.text());
    const admin = { authorization: `Bearer ${testAdminKey}`, "content-type": "application/json" };
    const anchored = await app.request("/v1/admin/audit/anchor", { method: "POST", headers: admin, body: "{}" });
    assert.equal(anchored.status, 200, await anchored.text());
  } finally {
    await close();
  }
});
after(() => world?.close());

const verify = (...args: string[]) =>
  runCommand(process.execPath, [join(import.meta.dirname, "../audit-verify.ts"), ...args], {
    env: { DATA_DIR: world.dataDir, CHAIN_PORT: String(world.anvil.port) },
    quiet: true,
  });

test("audit:verify ends with 0 when the chain has every root, and with 1 when the chain has another one", async () => {
  const verified = await verify();
  assert.equal(verified.code, 0, verified.output);
  assert.match(verified.output, /1 daily root: .*\n1 of them are equal on chain\./);

  const { rpc } = world.anvil;
  const { audits } = world.contracts.addresses;
  const day = Number(await rpc("eth_getStorageAt", [audits, "0x0", "latest"]));
  // `rootOf` is the mapping in slot 1.
  const slot = keccak256(encodeAbiParameters(parseAbiParameters("uint32, uint256"), [day, 1n]));
  const root = (await rpc("eth_getStorageAt", [audits, slot, "latest"])) as Hex;
  await rpc("anvil_setStorageAt", [audits, slot, toHex(BigInt(root) ^ 1n, { size: 32 })]);
  const differs = await verify();
  assert.equal(differs.code, 1, differs.output);
  assert.match(differs.output, /^BROKEN\. The first fault: .*chain/);
  assert.equal((await verify("--unanchored")).code, 1, "the flag does not accept another root");

  await world.anvil.stop();
  const silent = await verify();
  assert.equal(silent.code, 1, silent.output);
  assert.match(silent.output, /Not verified: the roots were not compared with the contract/);
});
