import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { countTraces } from "../../../test/support/files/files.ts";
import { openTestService, type TestIssuerService } from "../../../test/support/own-credentials.ts";
import { listFileEvents } from "../../files/audit/list-events.ts";
import { readFile } from "../../files/read/read-file.ts";
import { AppError } from "../../platform/errors.ts";
import { canonicalJson } from "../../platform/values/canonical-json.ts";
import { campaignFolder, readSchemeFile, segmentOf, storeSchemeFile } from "../scheme-files/scheme-files.ts";
import { checkEvidence, readClaimFile, removeClaimFiles, storeClaimFiles } from "./evidence.ts";
import { maxItemBytes, readEvidence } from "./evidence-items.ts";

const linked = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const photo = Buffer.from("not really a photo");
const photoUri = `data:image/png;base64,${photo.toString("base64")}`;
const sha256 = createHash("sha256").update(photo).digest("hex");
let service: TestIssuerService;
let claims = 0;

before(async () => {
  service = await openTestService();
});
after(() => service.close());

const newRef = (campaignId = "CAMP-1") => ({ campaignId, claimId: `KPT-${++claims}` });
const claimOf = (evidence?: unknown[], total = "11.90") =>
  `{"dailyLogs":[3.2,2.8],${evidence === undefined ? "" : `"evidence":${JSON.stringify(evidence)},`}"total":${total}}`;
const pathOf = ({ campaignId, claimId }: ReturnType<typeof newRef>) => `${campaignFolder(campaignId)}/${claimId}`;

describe("a claim's files", () => {
  it("keeps the claim as sent with a salt, its hash that of the file", async () => {
    const ref = newRef();
    const stored = await storeClaimFiles(service.deps, { ...ref, claim: claimOf() });
    const bytes = await readSchemeFile(service.deps, `${pathOf(ref)}/claim.json`);
    assert.equal(stored.claimHash, `0x${createHash("sha256").update(bytes).digest("hex")}`);
    assert.deepEqual(stored.evidence, [`ipfs://${stored.claimCid}`]);
    assert.match(Buffer.from(bytes).toString(), /"claim":{"dailyLogs":\[3.2,2.8\],"total":11.90}/);
    const { claim, salt, ...rest } = (await readClaimFile(service.deps, ref)) ?? assert.fail();
    assert.match(salt, /^[0-9a-f]{64}$/);
    assert.equal(canonicalJson(claim), claimOf());
    assert.deepEqual(rest, stored);
  });

  it("is written by the service with its own token, as the audit shows", async () => {
    const ref = newRef();
    await storeClaimFiles(service.deps, { ...ref, claim: claimOf() });
    const path = `${pathOf(ref)}/claim.json`;
    const { items } = await listFileEvents(
      { deps: service.deps, ...(await service.deps.schemeFiles.caller()) },
      { ref: { path } },
    );
    const { keyDid } = service.deps.files.identity;
    assert.deepEqual(
      items.map(({ kind, actor, invoker }) => [kind, actor, invoker]),
      [["file.created", keyDid, keyDid]],
    );
    assert.match(items[0]?.tokenCid ?? "", /^bafy/);
  });

  it("hides equal claims behind different salts", async () => {
    const [one, other] = [newRef(), newRef()];
    const { claimHash } = await storeClaimFiles(service.deps, { ...one, claim: claimOf() });
    assert.notEqual((await storeClaimFiles(service.deps, { ...other, claim: claimOf() })).claimHash, claimHash);
  });

  it("keeps data as its bytes, other addresses as a record, and links as they are", async () => {
    const ref = newRef();
    const site = { type: "SelectionReport", uri: "https://example.org/report.pdf", sha256: "AB".repeat(32) };
    const items = [
      `ipfs://${linked}/a.png`,
      photoUri,
      { type: "Photo", cid: linked },
      site,
      { type: "Photo", uri: photoUri, sha256 },
    ];
    const { evidence } = await storeClaimFiles(service.deps, { ...ref, claim: claimOf(items) });
    const [record, first, second, third, fourth, fifth] = evidence;
    assert.equal(evidence.length, 6);
    assert.deepEqual([first, third], [`ipfs://${linked}/a.png`, `ipfs://${linked}`]);
    assert.equal(second, fifth);
    assert.deepEqual(await readSchemeFile(service.deps, `${pathOf(ref)}/evidence-2`), photo);
    assert.deepEqual(JSON.parse(String(await readSchemeFile(service.deps, `${pathOf(ref)}/evidence-4.json`))), site);
    const { claim } = (await readClaimFile(service.deps, ref)) ?? assert.fail();
    assert.deepEqual(claim.evidence, [items[0], second, items[2], site, { type: "Photo", uri: fifth, sha256 }]);
    assert.ok(record !== fourth);
  });

  it("answers the same for the same claim, and completes what was broken off", async () => {
    const ref = newRef();
    const claim = claimOf([photoUri, "https://example.org/a"]);
    const stored = await storeClaimFiles(service.deps, { ...ref, claim });
    const before = await countTraces(service.deps);
    assert.deepEqual(await storeClaimFiles(service.deps, { ...ref, claim }), stored);
    assert.deepEqual(await countTraces(service.deps), before);
    const partial = newRef();
    await storeSchemeFile(service.deps, { path: `${pathOf(partial)}/evidence-1`, bytes: photo, mimeType: "image/png" });
    const completed = await storeClaimFiles(service.deps, { ...partial, claim });
    assert.deepEqual(await storeClaimFiles(service.deps, { ...partial, claim }), completed);
  });

  it("returns one record to concurrent callers with the same claim", async () => {
    const ref = newRef();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => storeClaimFiles(service.deps, { ...ref, claim: claimOf() })),
    );
    assert.equal(new Set(all.map(({ claimCid }) => claimCid)).size, 1);
  });

  it("replaces an abandoned claim by another one, and removes all of the former", async () => {
    const ref = newRef();
    await storeClaimFiles(service.deps, { ...ref, claim: claimOf([photoUri, "https://example.org/a"]) });
    const stored = await storeClaimFiles(service.deps, { ...ref, claim: claimOf(undefined, "9") });
    const known = (await readClaimFile(service.deps, ref)) ?? assert.fail();
    assert.equal(known.claimCid, stored.claimCid);
    assert.equal(canonicalJson(known.claim), claimOf(undefined, "9"));
    await assert.rejects(readSchemeFile(service.deps, `${pathOf(ref)}/evidence-1`), { code: "NOT_FOUND" });
  });

  it("is destroyed with keys and bytes, and nothing else with it", async () => {
    const [gone, stays] = [newRef(), newRef()];
    await storeClaimFiles(service.deps, { ...stays, claim: claimOf() });
    const before = await countTraces(service.deps);
    await storeClaimFiles(service.deps, { ...gone, claim: claimOf([photoUri]) });
    await removeClaimFiles(service.deps, gone);
    await removeClaimFiles(service.deps, gone);
    assert.equal(await readClaimFile(service.deps, gone), null);
    const { files, history, blobs } = await countTraces(service.deps);
    assert.deepEqual([files, history, blobs], [before.files, before.history, before.blobs]);
    assert.notEqual(await readClaimFile(service.deps, stays), null);
  });

  it("is one of many that are stored and removed concurrently", async () => {
    const claim = claimOf([photoUri]);
    const store = (ref: ReturnType<typeof newRef>) => storeClaimFiles(service.deps, { ...ref, claim });
    const refs = (count: number) => Array.from({ length: count }, () => newRef());
    const [going, coming] = [refs(24), refs(64)];
    await Promise.all(going.map(store));
    const stored = await Promise.all([
      ...coming.map(store),
      ...going.map((ref) => removeClaimFiles(service.deps, ref).then(() => null)),
    ]);
    const read = await Promise.all([...coming, ...going].map((ref) => readClaimFile(service.deps, ref)));
    assert.deepEqual(
      read.map((found) => found?.claimCid),
      stored.map((files) => files?.claimCid),
    );
  });

  it("leaves nothing when a piece of it cannot be stored", async () => {
    const small = await openTestService({ NAMESPACE_QUOTA_BYTES: "1000" });
    try {
      const data = `data:,${"a".repeat(900)}`;
      const claim = { ...newRef(), claim: claimOf([data, data]) };
      await assert.rejects(storeClaimFiles(small.deps, claim), { code: "TOO_LARGE" });
      const { files, blobs } = await countTraces(small.deps);
      assert.deepEqual([files, blobs], [0, 0]);
    } finally {
      await small.close();
    }
  });
});

describe("a campaign's folder", () => {
  it("does not belong to another campaign, whatever the identifier", () => {
    const ids = ["a", "a/b", "a%2Fb", "..", ".hidden", "a~b", "日".repeat(128), `${"日".repeat(127)}本`, "%7E"];
    const folders = ids.map(campaignFolder);
    assert.equal(new Set(folders).size, ids.length);
    for (const folder of folders) assert.match(folder, /^\/kpt\/[^./][^/]{0,199}$/);
    const long = segmentOf("日".repeat(128));
    assert.notEqual(segmentOf(decodeURIComponent("~")), "~");
    assert.notEqual(segmentOf(long), long);
  });

  it("accepts any identifier", async () => {
    for (const id of ["日".repeat(128), "../x", ".hidden"]) {
      const ref = newRef(id);
      await storeClaimFiles(service.deps, { ...ref, claim: claimOf() });
      assert.notEqual(await readClaimFile(service.deps, ref), null);
    }
  });
});

describe("evidence out of bounds", () => {
  const brokenOf = async (items: unknown[]) => {
    try {
      await checkEvidence(items as never);
      return [];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      assert.equal(error.code, "INVALID_INPUT");
      return error.details.map(({ path, rule }) => `${path} ${rule}`);
    }
  };

  it("names every item and its rule", async () => {
    const items = [
      "no uri",
      "ipfs://bafy",
      { type: "Photo", cid: "x" },
      { type: "Photo" },
      { type: "Photo", uri: "https://a.example", cid: linked },
      { type: "", uri: "https://a.example", sha256: "12" },
      { type: "Photo", uri: photoUri, sha256: "0".repeat(64) },
      "data:nothing",
      `https://a.example/${"a".repeat(2048)}`,
      photoUri,
      linked,
    ];
    assert.deepEqual(await brokenOf(items), [
      "evidence.0 uri",
      "evidence.1 cid",
      "evidence.2 cid",
      "evidence.3 uri-or-cid",
      "evidence.4 uri-or-cid",
      "evidence.5.type evidence-type",
      "evidence.5.sha256 sha256",
      "evidence.6.sha256 sha256-matches",
      "evidence.7 data-uri",
      "evidence.8 uri",
    ]);
  });

  it("bounds the bytes of an item, of a claim, and the number of items", async () => {
    const data = (size: number) => `data:;base64,${Buffer.alloc(size).toString("base64")}`;
    assert.deepEqual(await brokenOf([data(maxItemBytes)]), []);
    assert.deepEqual(await brokenOf([data(maxItemBytes + 1), data(9 * maxItemBytes)]), [
      "evidence.0 evidence-size",
      "evidence.1 evidence-size",
    ]);
    const nine = Array.from({ length: 9 }, () => data(maxItemBytes));
    assert.deepEqual(await brokenOf(nine), ["evidence evidence-total"]);
    assert.deepEqual(await brokenOf(Array.from({ length: 33 }, () => linked)), ["evidence evidence-count"]);
  });

  it("stores nothing of such a claim, and nothing over 1 MiB as a record", async () => {
    const before = await countTraces(service.deps);
    await assert.rejects(storeClaimFiles(service.deps, { ...newRef(), claim: claimOf([photoUri, "no uri"]) }), {
      code: "INVALID_INPUT",
    });
    const long = `{"note":${JSON.stringify("a".repeat(maxItemBytes))}}`;
    await assert.rejects(storeClaimFiles(service.deps, { ...newRef(), claim: long }), { code: "TOO_LARGE" });
    assert.deepEqual(await countTraces(service.deps), before);
  });

  it("gives evidence with an invalid media type a valid one", async () => {
    const ref = newRef();
    await storeClaimFiles(service.deps, { ...ref, claim: claimOf(["data:no type at all;base64,AAAA"]) });
    const ctx = { deps: service.deps, ...(await service.deps.schemeFiles.caller()) };
    const { mimeType } = await readFile(ctx, {
      ref: { path: `${pathOf(ref)}/evidence-1` },
    });
    assert.match(mimeType, /^[\w-]+\/[\w-]+/);
  });
});

it("answers any evidence with links or with what is wrong, never with a failure", async () => {
  const text = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.string().map((tail) => `data:${tail}`),
    fc.constantFrom(linked, photoUri),
  );
  const given = fc.record({ type: text, uri: text, cid: text, sha256: text }, { requiredKeys: ["type"] });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(text, given), { maxLength: 4 }), async (items) => {
      try {
        for (const { uri, file } of await readEvidence(items))
          assert.ok(uri.startsWith("ipfs://") && (!file || file.cid));
      } catch (error) {
        assert.ok(
          error instanceof AppError && error.code === "INVALID_INPUT" && error.details.length > 0,
          String(error),
        );
      }
    }),
    { numRuns: 200 },
  );
});
