import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { contractNames, readDeployment, readIncomplete, requireDeployment } from "./deployment.ts";

describe("a deployment file", () => {
  const named = Object.fromEntries(contractNames.map((name, i) => [name, `0x${String(i + 1).padStart(40, "a")}`]));
  const whole = { chainId: 31_337, genesisHash: `0x${"1".repeat(64)}`, startBlock: 3, contracts: named };
  let folder: string;
  const write = async (content: unknown) => {
    const path = join(folder, "31337.json");
    await writeFile(path, JSON.stringify(content));
    return path;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-deployment-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("is read with its addresses in checksum form", async () => {
    const { contracts, startBlock } = await requireDeployment(await write(whole));
    assert.equal(startBlock, 3);
    for (const name of contractNames) {
      assert.equal(contracts[name].toLowerCase(), named[name]?.toLowerCase());
      assert.notEqual(contracts[name], contracts[name].toLowerCase());
    }
  });

  it("may be absent only where the reader says so", async () => {
    const path = join(folder, "none.json");
    assert.equal(await readDeployment(path), undefined);
    await assert.rejects(requireDeployment(path), /no deployment file .*none\.json\. Deploy the contracts first/);
  });

  it("of an earlier version is refused with what it lacks and how to add that, and still read where it is added", async () => {
    const path = await write({ ...whole, contracts: { ...named, campaigns: undefined, audits: undefined } });
    await assert.rejects(
      requireDeployment(path),
      /lacks contracts\.audits, contracts\.campaigns\. Add them to the deployment: .*--add/,
    );
    const found = await readIncomplete(path);
    assert.deepEqual(found?.missing, ["audits", "campaigns"]);
    assert.equal(found?.deployment.contracts.pool.toLowerCase(), named.pool?.toLowerCase());
  });

  it("is refused with every contract that it does not name well", async () => {
    const contracts = { ...named, pool: undefined, claims: "0x12", didRegistry: "nowhere" };
    const path = await write({ ...whole, contracts });
    await assert.rejects(requireDeployment(path), /contracts\.claims, contracts\.pool, contracts\.didRegistry/);
    await assert.rejects(requireDeployment(await write({ ...whole, genesisHash: "0x1" })), /is not one: genesisHash/);
  });
});
