import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createPublicClient, http } from "viem";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { type ServerProcess, startServer } from "../../test/support/api-server.ts";
import { implementerDid } from "../../test/support/campaigns.ts";
import { createTestWorld, type TestWorld } from "../../test/support/chain.ts";
import { testAdminKey } from "../../test/support/core.ts";
import { type Phone, type RecordFile, usePhone } from "../../test/support/odk-phone.ts";
import { type Answer, accountOf, type Caller, requireStatus } from "../../test/support/registry.ts";
import type { Submission, SubmissionDetail } from "./submissions/schemas.ts";

/** Every step in the long form; otherwise some of them, spread over the whole write. */
const every = process.env.HEARTH_LONG ? 1 : 29;
const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("a photo")]);
const photo: RecordFile = { name: "a.jpg", type: "image/jpeg", bytes: jpeg };

let world: TestWorld;
let server: ServerProcess;
let killAt: string;
let phone: Phone;

before(async () => {
  world = await createTestWorld();
  killAt = join(world.dataDir, "kill-at");
  const preload = fileURLToPath(new URL("../../test/support/kill-at-statement.ts", import.meta.url));
  server = await startServer(world, {
    REQUESTS_PER_MINUTE: "100000",
    KILL_AT_FILE: killAt,
    NODE_OPTIONS: `--import=${preload}`,
  });
  const admin = callerWith({});
  await admin("POST", "/implementers", { did: implementerDid, account: accountOf(500), name: "Implementer" });
  const person = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid };
  const { url } = requireStatus(await admin("POST", "/odk/collectors", { ...person, forms: ["household"] }), 201)
    .body as {
    url: string;
  };
  phone = usePhone({ request: fetch }, url);
});
after(async () => {
  await server?.stop("SIGKILL");
  await world?.close();
});

/** Call the server as the admin, or with other headers. */
function callerWith(key: Record<string, string>): Caller {
  return async (method, path, body, headers): Promise<Answer> => {
    const answer = await fetch(`${server.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${testAdminKey}`, "content-type": "application/json", ...key, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
}

/**
 * Send records, each while the server is killed before another one of its statements, and again to the next server.
 * @param make makes the record that is sent, and sends what must come before it
 * @returns the instanceIDs; the last record was written without a kill
 */
async function sendWithKills(make: () => Promise<{ instanceId: string; xml: string }>): Promise<string[]> {
  const sent: string[] = [];
  for (let step = 1; ; step += every) {
    const { instanceId, xml } = await make();
    sent.push(instanceId);
    await writeFile(killAt, String(step));
    const answer = await phone.send(xml, [photo]).then(
      (response) => response.text(),
      () => undefined,
    );
    await rm(killAt);
    const survived = answer !== undefined && server.isRunning();
    // Also a server that survived: it would count on.
    await server.killAndStart();
    // The whole write has fewer statements, so all of them were tried.
    if (survived) {
      assert.match(answer ?? "", /Received and accepted/);
      return sent;
    }
    const again = await phone.send(xml, [photo]);
    const text = await again.text();
    assert.deepEqual([again.status, /Received and accepted/.test(text)], [201, true], `step ${step}: ${text}`);
  }
}

async function listed(): Promise<Submission[]> {
  const { body } = requireStatus(await callerWith({})("GET", "/odk/submissions?limit=500"), 200);
  return (body as { items: Submission[] }).items;
}

/** Each record is there once, is accepted, and has its photo. */
async function requireAccepted(instanceIds: string[]): Promise<Submission[]> {
  const all = await listed();
  const found = instanceIds.map((id) => all.filter(({ instanceId }) => instanceId === id));
  assert.deepEqual(
    found.map((rows) => rows.map(({ status }) => status)),
    instanceIds.map(() => ["accepted"]),
  );
  const rows = found.flat();
  for (const { id } of rows) {
    const { body } = requireStatus(await callerWith({})("GET", `/odk/submissions/${id}`), 200);
    const { files } = body as SubmissionDetail;
    assert.deepEqual(
      files.map(({ name, size }) => [name, size]),
      [[photo.name, jpeg.length]],
    );
  }
  return rows;
}

test("a household's record ends once, before whichever statement the server is killed", {
  timeout: 900_000,
}, async () => {
  const { version } = await phone.form("household-registration");
  const sent = await sendWithKills(async () => {
    const id = randomUUID();
    return {
      instanceId: `uuid:${id}`,
      xml: `<data id="household-registration" version="${version}"><did>did:ixo:household/${id}</did><region>Lusaka</region><place>-15.4167 28.2833 1280.0 4.5</place><photo>${photo.name}</photo><meta><instanceID>uuid:${id}</instanceID></meta></data>`,
    };
  });
  const rows = await requireAccepted(sent);
  const client = createPublicClient({ transport: http(world.anvil.url) });
  const contract = { abi: participantsAbi, address: world.contracts.addresses.participants } as const;
  assert.deepEqual(await client.getContractEvents({ ...contract, eventName: "HouseholdSkipped", fromBlock: 0n }), []);
  const count = await client.readContract({ ...contract, functionName: "householdCount" });
  assert.equal(count, rows.length);
  for (const { resultId } of rows) {
    const path = `/households/${encodeURIComponent(resultId ?? "")}`;
    assert.partialDeepStrictEqual(requireStatus(await callerWith({})("GET", path), 200).body, {
      region: "Lusaka",
      location: { latitude: -15.4167, longitude: 28.2833 },
    });
  }
});
