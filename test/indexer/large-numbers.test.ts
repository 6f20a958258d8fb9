import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { zeroHash } from "viem";
import * as schema from "../../indexer/ponder.schema.ts";
import { type Indexer, startIndexerOn, waitForBlock } from "./ponder-process.ts";
import { registration, tellStory } from "./story.ts";
import { createWorld, type World } from "./world.ts";

const largest = 2 ** 32 - 1;

describe("numbers on chain that are larger than the index's columns", () => {
  const folder = mkdtempSync(join(tmpdir(), "hearth-large-"));
  let world: World;
  let indexer: Indexer;

  before(async () => {
    world = await createWorld();
    await tellStory(world);
    const texts = { kind: "ncv", key: "peat", unit: "TJ/t", source: "decision", sourceHash: zeroHash };
    const entry = { ...texts, value: 2n ** 200n, decimals: 2, validFrom: largest, validTo: largest };
    await world.send("registrar", "parameters", "set", [entry]);
    const far = { credentialIssuedAt: 2n ** 64n - 1n };
    const certificate = { ...registration("CERT-LARGE", 70n * 10n ** 9n, largest, 90_000n), ...far };
    const { blockNumber } = await world.send("registrar", "certificates", "registerCertificate", [certificate]);
    indexer = await startIndexerOn(world, folder);
    await waitForBlock(indexer, blockNumber);
  });
  after(async () => {
    await indexer?.stop("SIGKILL");
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("are kept as the largest that the columns hold, and the index continues", async () => {
    const { db } = indexer.client;
    const parameters = await db.select().from(schema.parameter);
    const peat = parameters.find(({ key }) => key === "peat");
    assert.deepEqual([peat?.validFrom, peat?.validTo, peat?.value], [2 ** 31 - 1, 2 ** 31 - 1, 2n ** 200n]);
    const certificates = await db.select().from(schema.certificate);
    const large = certificates.find(({ certificateId }) => certificateId === "CERT-LARGE");
    assert.equal(large?.allocationCount, 2 ** 31 - 1);
  });

  it("leave the reports readable", async () => {
    for (const path of ["trace/CERT-LARGE", "summary", "exceptions", "search?q=CERT-LARGE"]) {
      const answer = await fetch(`${indexer.url}/reports/${path}`);
      assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
    }
  });
});
