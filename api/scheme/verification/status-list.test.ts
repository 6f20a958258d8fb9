import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { createIssuer, encodeStatusList, type SignOptions } from "../../../test/support/credentials.ts";
import { startTestServer, type TestServer } from "../../../test/support/http-server.ts";
import { openVerifier } from "./open-verifier.ts";

const TYPE = "ProductDeliveryCredential";
const started = new Date("2026-03-15T12:00:00Z");
let now = started;
const clock = { now: () => now };
const verifier = openVerifier({ outbound: { allowLoopback: true }, ethrNetworks: [], clock });
const issuer = createIssuer();
let server: TestServer;
let lists = 0;

before(async () => {
  server = await startTestServer();
});
after(() => server.close());

type ListOptions = Partial<SignOptions> & {
  encodedList?: string;
  statusPurpose?: unknown;
  ttl?: number;
  by?: typeof issuer;
};

/** Publish a status list and return its address. */
async function publish(options: ListOptions = {}, path = `/lists/${++lists}`): Promise<string> {
  const { encodedList = encodeStatusList([7]), statusPurpose = "revocation", ttl, by = issuer, ...rest } = options;
  const subject = { type: "BitstringStatusList", statusPurpose, encodedList, ...(ttl === undefined ? {} : { ttl }) };
  const type = "BitstringStatusListCredential";
  const list = { type, subject, version: "2.0" as const, issuedAt: started, ...rest };
  return server.serve(path, await by.signCredential(list), 200, { "content-type": "application/vc+jwt" });
}

async function review(entry: Record<string, unknown> | Record<string, unknown>[], verify = verifier): Promise<string> {
  const entries = [entry]
    .flat()
    .map((one) => ({ type: "BitstringStatusListEntry", statusPurpose: "revocation", ...one }));
  const credentialStatus = entries.length === 1 ? entries[0] : entries;
  const subject = { redemptionId: "REDM-1" };
  const jwt = await issuer.signCredential({ type: TYPE, subject, issuedAt: started, credentialStatus });
  const verdict = await verify.verifyCredential({ type: TYPE, proof: jwt }, { type: TYPE, now });
  if (verdict.verified) return "verified";
  assert.deepEqual([...new Set(verdict.broken.map(({ rule }) => rule))], ["not-revoked"]);
  return verdict.broken.map(({ message }) => message).join("; ");
}

describe("Bitstring Status List", () => {
  it("distinguishes a revoked credential from its neighbours, in the compact form too", async () => {
    const statusListCredential = await publish();
    assert.match(await review({ statusListCredential, statusListIndex: "7" }), /revoked/);
    for (const statusListIndex of ["6", "8", "0", "131071"]) {
      assert.equal(await review({ statusListCredential, statusListIndex }), "verified");
    }
  });

  it("finds the status next to the vc claim as well as in it", async () => {
    const statusListCredential = await publish();
    const credentialStatus = {
      type: "BitstringStatusListEntry",
      statusPurpose: "revocation",
      statusListCredential,
      statusListIndex: "7",
    };
    const jwt = await issuer.signCredential({
      type: TYPE,
      subject: { a: 1 },
      issuedAt: started,
      claims: { credentialStatus },
    });
    const verdict = await verifier.verifyCredential({ type: TYPE, proof: jwt }, { type: TYPE, now });
    assert.ok(!verdict.verified && verdict.broken.some(({ rule }) => rule === "not-revoked"));
  });

  it("refuses when any of several statuses is set, and names suspension", async () => {
    const revocation = { statusListCredential: await publish(), statusListIndex: "1" };
    const suspended = {
      statusListCredential: await publish({ statusPurpose: ["refresh", "suspension"] }),
      statusListIndex: "7",
      statusPurpose: "suspension",
    };
    assert.match(await review([revocation, suspended]), /suspended/);
  });

  for (const [name, entry] of [
    ["another type", { type: "RevocationList2020Status", statusListIndex: "1" }],
    ["StatusList2021Entry", { type: "StatusList2021Entry", statusListIndex: "1" }],
    ["an unknown purpose", { statusPurpose: "message", statusListIndex: "1" }],
    ["statuses of two bits", { statusSize: 2, statusListIndex: "1" }],
    ["no index", {}],
    ["a negative index", { statusListIndex: "-1" }],
    ["an index outside the list", { statusListIndex: "131072" }],
    ["a list of another purpose", { statusPurpose: "suspension", statusListIndex: "1" }],
  ] as [string, Record<string, unknown>][]) {
    it(`refuses ${name}`, async () => {
      assert.notEqual(await review({ statusListCredential: await publish(), ...entry }), "verified");
    });
  }

  it("refuses a list that is not signed, expired, not yet valid, or of another issuer", async () => {
    const entry = { statusListIndex: "1" };
    const jwt = await issuer.signCredential({
      type: "BitstringStatusListCredential",
      subject: { a: 1 },
      version: "2.0",
    });
    const forged = server.serve("/forged", `${jwt.split(".").slice(0, 2).join(".")}.AAAA`);
    assert.match(await review({ statusListCredential: forged, ...entry }), /does not verify/);
    const expired = await publish({ expiresAt: new Date(started.getTime() - 1000) });
    assert.match(await review({ statusListCredential: expired, ...entry }), /does not verify: Expired/);
    const early = await publish({ issuedAt: new Date(started.getTime() + 3600_000) });
    assert.match(await review({ statusListCredential: early, ...entry }), /does not verify: Not valid before/);
    const others = await publish({ by: createIssuer() });
    assert.match(await review({ statusListCredential: others, ...entry }), /another issuer/);
  });

  it("refuses a list of another type, of another address, or that has a status itself", async () => {
    const entry = { statusListIndex: "1" };
    const otherType = await publish({ type: "OtherCredential" });
    assert.match(await review({ statusListCredential: otherType, ...entry }), /not a BitstringStatusListCredential/);
    const moved = await publish({ id: "https://elsewhere.example/list" });
    assert.match(await review({ statusListCredential: moved, ...entry }), /another address/);
    const looping = await publish({ credentialStatus: { type: "BitstringStatusListEntry" } });
    assert.match(await review({ statusListCredential: looping, ...entry }), /it has a status itself/);
  });

  it("refuses lists that are too short, too large, or not gzip", async () => {
    const entry = { statusListIndex: "1" };
    const short = await publish({ encodedList: encodeStatusList([], 1024) });
    assert.match(await review({ statusListCredential: short, ...entry }), /fewer than/);
    const bomb = await publish({ encodedList: `u${gzipSync(Buffer.alloc(20 * 1024 * 1024)).toString("base64url")}` });
    assert.match(await review({ statusListCredential: bomb, ...entry }), /cannot be expanded/);
    const plain = await publish({ encodedList: "uAAAA" });
    assert.match(await review({ statusListCredential: plain, ...entry }), /cannot be expanded/);
    const huge = server.serve("/huge", Buffer.alloc(3 * 1024 * 1024, 65));
    assert.match(await review({ statusListCredential: huge, ...entry }), /more than/);
  });

  it("refuses when the list cannot be fetched", async () => {
    const statusListCredential = `${server.url}/missing`;
    assert.match(await review({ statusListCredential, statusListIndex: "1" }), /answers 404/);
    assert.match(
      await review({ statusListCredential: "http://127.0.0.1:1/", statusListIndex: "1" }),
      /could not be reached/,
    );
  });

  it("reads plain http and private addresses only from loopback, and only on the embedded chain", async () => {
    const statusListCredential = await publish();
    const entry = { statusListCredential, statusListIndex: "1" };
    const strict = openVerifier({ outbound: { allowLoopback: false }, ethrNetworks: [], clock });
    assert.match(await review(entry, strict), /must be an https URL/);
    const before = server.asked.length;
    await review({ ...entry, statusListCredential: "https://127.0.0.1/list" }, strict);
    assert.match(await review({ ...entry, statusListCredential: "http://10.1.2.3/list" }), /private|https/);
    assert.equal(server.asked.length, before);
  });

  it("keeps a list for its ttl and sees a revocation after it", async () => {
    const path = "/lists/kept";
    const statusListCredential = await publish({ ttl: 60_000, encodedList: encodeStatusList([]) }, path);
    const entry = { statusListCredential, statusListIndex: "3" };
    assert.equal(await review(entry), "verified");
    await publish({ ttl: 60_000, encodedList: encodeStatusList([3]) }, path);
    now = new Date(started.getTime() + 59_000);
    assert.equal(await review(entry), "verified");
    now = new Date(started.getTime() + 61_000);
    assert.match(await review(entry), /revoked/);
    assert.equal(server.asked.filter((asked) => asked === path).length, 2);
    now = started;
  });

  it("does not fetch the status of a credential whose proof fails", async () => {
    const before = server.asked.length;
    const credentialStatus = {
      type: "BitstringStatusListEntry",
      statusPurpose: "revocation",
      statusListCredential: await publish(),
      statusListIndex: "1",
    };
    const jwt = await issuer.signCredential({ type: TYPE, subject: { a: 1 }, issuedAt: started, credentialStatus });
    const unsigned = `${jwt.split(".").slice(0, 2).join(".")}.AAAA`;
    await verifier.verifyCredential({ type: TYPE, proof: unsigned }, { type: TYPE, now });
    assert.equal(server.asked.length, before);
  });
});
