import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createPublicClient, http } from "viem";
import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import { campaignsAbi } from "../../deployments/abi/campaigns.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import { type ServerProcess, startServer } from "../../test/support/api-server.ts";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  planId,
  registerFrames,
} from "../../test/support/campaigns.ts";
import { createTestWorld, type TestWorld } from "../../test/support/chain.ts";
import { testAdminKey } from "../../test/support/core.ts";
import { type Phone, type RecordFile, usePhone } from "../../test/support/odk-phone.ts";
import { type Answer, accountOf, type Caller, requireStatus } from "../../test/support/registry.ts";
import type { Submission, SubmissionDetail } from "./submissions/schemas.ts";

/** Every step in the long form; otherwise some of them, spread over the whole write. */
const every = process.env.HEARTH_LONG ? 1 : 29;
const sampleSize = process.env.HEARTH_LONG ? 100 : 12;
const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("a photo")]);
const photo: RecordFile = { name: "a.jpg", type: "image/jpeg", bytes: jpeg };

let world: TestWorld;
let server: ServerProcess;
let killAt: string;
let campaign: CampaignResponse;
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
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  requireStatus(await admin("POST", "/monitoring-plans", { planId, implementerDid, period }), 201);
  const made = requireStatus(await admin("POST", "/keys", { role: "implementer", name: "Team", implementerDid }), 201);
  const implementer = callerWith({ authorization: `Bearer ${(made.body as { key: string }).key}` });
  const terms = exampleCampaign({ sampleSize }, sampleSize);
  campaign = await drawnCampaign(implementer, await registerFrames(implementer, terms));
  const person = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid };
  const about = { forms: ["household", "kpt"], campaignId: campaign.campaignId };
  const { url } = requireStatus(await admin("POST", "/odk/collectors", { ...person, ...about }), 201).body as {
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
  assert.equal(count, 2 * sampleSize + rows.length);
  for (const { resultId } of rows) {
    const path = `/households/${encodeURIComponent(resultId ?? "")}`;
    assert.partialDeepStrictEqual(requireStatus(await callerWith({})("GET", path), 200).body, {
      region: "Lusaka",
      location: { latitude: -15.4167, longitude: 28.2833 },
    });
  }
});

test("a test's last visit files one claim, before whichever statement the server is killed", {
  timeout: 900_000,
}, async () => {
  const { version } = await phone.form(`kpt-visit.${campaign.campaignId}`);
  const households = [...campaign.groups.reference.sample, ...campaign.groups.intervention.sample];
  const visit = (household: string, day: number) => {
    const id = randomUUID();
    return {
      instanceId: `uuid:${id}`,
      xml: `<data id="kpt-visit.${campaign.campaignId}" version="${version}"><household>${household}</household><day>${day}</day><at>2024-02-0${day + 1}T17:30:00.000+02:00</at><fuels><fuel>wood</fuel><start>10.0</start><added>0</added><end>7</end></fuels><people><women>1</women></people><stoves><kind>three stones</kind><used>yes</used></stoves><photo>${photo.name}</photo><meta><instanceID>uuid:${id}</instanceID></meta></data>`,
    };
  };
  const sent = await sendWithKills(async () => {
    const household = households.shift() ?? "";
    for (const day of [0, 1, 2]) assert.equal((await phone.send(visit(household, day).xml, [photo])).status, 201);
    return visit(household, 3);
  });
  const rows = await requireAccepted(sent);
  assert.equal(new Set(rows.map(({ resultId }) => resultId)).size, rows.length);
  const client = createPublicClient({ transport: http(world.anvil.url) });
  const contract = { abi: campaignsAbi, address: world.contracts.addresses.campaigns, fromBlock: 0n } as const;
  const recorded = await client.getContractEvents({ ...contract, eventName: "KptClaimRecorded" });
  const refused = await client.getContractEvents({ ...contract, eventName: "KptClaimRefused" });
  assert.deepEqual([recorded.length, refused.length], [rows.length, 0]);
});
