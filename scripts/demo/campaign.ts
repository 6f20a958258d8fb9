import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../api/config.ts";
import { makeHouseholds, toCsv } from "./households.ts";
import type { Caller, Narrator } from "./narrator.ts";
import { joinDraw, readGuardian } from "./second-party.ts";
import { type Cast, published, seed } from "./story.ts";

type Group = "reference" | "intervention";

const size = 12;
const testPeriod = { startDate: "2024-02-01", endDate: "2024-02-04", durationDays: 3 };
const externalFactors = { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical_workweek"] };
/** The published example, word for word. */
const example = `{"type":"KPTClaim","householdId":"did:ixo:household/123","testGroup":"intervention","testPeriod":{"startDate":"2024-02-01","endDate":"2024-02-04","durationDays":3},"fuelMeasurements":{"total":11.9,"dailyLogs":[3.2,2.8,3.0,2.9]},"externalFactors":{"season":"dry","culturalEvents":["none"],"occupationalFactors":["typical_workweek"]}}`;
/** Grams that a household of each group burns in a day, before what tells one from another. */
const daily = { reference: 6_200, intervention: 2_900 } as const;

/** From kitchen tests to vouchers: a campaign, its draw and claims, the result and the certificate that is made of it. */
export async function proveSaving(tell: Narrator, cast: Cast, config: Config): Promise<void> {
  const { admin, run } = cast;
  const campaignId = `KPT-${run}`;
  const isFirst = await isFirstCampaign(tell, cast);
  const own = makeHouseholds(isFirst ? size - 1 : size, seed, run).map(({ did }) => did);
  const households = isFirst ? [published.household, ...own] : own;
  await drawSample(tell, cast, { campaignId, households, control: `${run}-control`, dataDir: config.dataDir });
  await fileClaims(tell, admin, { campaignId, run, isFirst, isHalf: false });
  await surveyDevices(tell, admin, campaignId);
  await serializeResult(tell, admin, { campaignId, dataDir: config.dataDir });
  await verifyResult(tell, cast, { campaignId, dataDir: config.dataDir });
  const certificateId = `CERT-KPT-${run}`;
  tell.step(
    "The regulator makes a certificate of the result",
    "Its verified reduction is the campaign's; equal shares go to the households of the intervention frame.",
  );
  const units = { registry: "demo-registry", firstSerial: Date.now() * 1_000 + 5_000 };
  await tell.call("POST", `/v1/campaigns/${campaignId}/certificate`, {
    as: admin,
    body: {
      certificateId,
      activityId: "ACT-COOKSTOVES-1",
      underlyingUnits: { ...units, lastSerial: units.firstSerial + 99 },
    },
  });
  tell.step("Vouchers are issued of what the kitchens saved");
  const attributes = { batchId: `BATCH-KPT-${run}`, issuanceDate: today(), expiryDate: today(365) };
  const body = { emissionCertificateId: certificateId, attributes };
  await tell.follow(await tell.call("POST", "/v1/vouchers/issue-batch", { as: admin, body }), admin);
  await tell.until(`${config.indexer.url}/reports/trace/${campaignId}`, admin, (trace) =>
    JSON.stringify(trace).includes("VCHR-") ? trace : undefined,
  );
}

/** Leave a campaign that is drawn and half measured: each group has half of its claims. */
export async function leaveHalfMeasuredCampaign(tell: Narrator, cast: Cast, config: Config): Promise<string> {
  const { admin, run } = cast;
  const campaignId = `KPT-${run}-NEXT`;
  const frame = makeHouseholds(2 * size, seed, run).slice(size);
  await drawSample(tell, cast, {
    campaignId,
    households: frame.map(({ did }) => did),
    control: `${run}-control-next`,
    dataDir: config.dataDir,
  });
  await fileClaims(tell, admin, { campaignId, run, isFirst: false, isHalf: true });
  return campaignId;
}

/** The published household belongs to the first campaign: a household's year supports one certificate. */
async function isFirstCampaign(tell: Narrator, { admin, implementerDid }: Cast): Promise<boolean> {
  const path = `/v1/campaigns?limit=1&implementerDid=${encodeURIComponent(implementerDid)}`;
  const { body } = await tell.call("GET", path, { as: admin, quiet: true });
  return (body.items as unknown[]).length === 0;
}

/** `control`: names the control group's households. */
type ToDraw = { campaignId: string; households: string[]; control: string; dataDir: string };

async function drawSample(
  tell: Narrator,
  { admin, planId }: Cast,
  { campaignId, households, control: controlName, dataDir }: ToDraw,
): Promise<void> {
  tell.step(
    "Commit the frames of a kitchen performance test, then draw",
    "The control group's households are registered first. The chain keeps both frames' Merkle roots before a later block decides who is tested.",
  );
  const controlHouseholds = makeHouseholds(size, seed + 1, controlName);
  const control = controlHouseholds.map(({ did }) => did);
  const csv = toCsv(controlHouseholds);
  const imported = await tell.call("POST", "/v1/households/import", { as: admin, body: csv, contentType: "text/csv" });
  await tell.follow(imported, admin);
  const devices = [
    "serial,model,householdDid,installedOn",
    ...households.map((did, i) => deviceRow(campaignId, did, i)),
  ];
  const body = devices.join("\n");
  const path = `/v1/devices/import?planId=${planId}`;
  await tell.follow(await tell.call("POST", path, { as: admin, body, contentType: "text/csv" }), admin);
  tell.note("Each household of the intervention group has a registered stove: the result counts them.");
  await tell.call("POST", "/v1/campaigns", {
    as: admin,
    body: {
      campaignId,
      planId,
      testPeriod,
      sampleSize: size,
      season: "dry",
      externalFactors,
      groups: { reference: { frame: control }, intervention: { frame: households } },
      emissions: {
        method: "smec-4",
        fuel: "wood",
        area: "ZMB",
        householdSize: 4.5,
        life: 3,
        daf: 0.1,
        he: 0.9,
        leakage: 0,
      },
    },
  });
  await drawByTwoParties(tell, admin, { campaignId, dataDir });
  tell.note(`Anyone can verify the draw: npm run verify-draw -- ${campaignId}`);
}

function deviceRow(campaignId: string, householdDid: string, index: number): string {
  return `STOVE-${campaignId}-${index + 1},Pellet stove with two burners,${householdDid},2024-01-15`;
}

type UsagePosition = { position: number; householdId: string };

/** Record a visit to each device that was drawn for the usage survey: all of them are in use. */
async function surveyDevices(tell: Narrator, admin: Caller, campaignId: string): Promise<void> {
  tell.step(
    "Survey which stoves are in use",
    "The seed of the households' draw also draws devices. A stated share in use could not be certified.",
  );
  const path = `/v1/campaigns/${campaignId}/usage-survey`;
  const { body } = await tell.call("GET", `${path}/positions?limit=100`, { as: admin, quiet: true });
  const positions = body.items as UsagePosition[];
  for (const [i, { position, householdId }] of positions.entries()) {
    const visit = { deviceSeen: true, inUse: true, date: testPeriod.endDate, surveyorDid: "did:ixo:surveyor/1" };
    const evidence = [{ uri: `https://photos.example/${campaignId}/${position}.jpg` }];
    const record = { position, householdId, ...visit, evidence };
    await tell.call("POST", `${path}/records`, { as: admin, body: record, quiet: i > 0 });
  }
  tell.note(`and ${positions.length - 1} more stoves`);
}

/** Neither the service nor the guardian alone can choose the sample. */
async function drawByTwoParties(
  tell: Narrator,
  admin: Caller,
  { campaignId, dataDir }: { campaignId: string; dataDir: string },
): Promise<void> {
  const guardian = await readGuardian(dataDir);
  if (guardian === undefined) {
    throw new Error(
      `There is no guardian.key in ${join(dataDir, "keys")}: set DATA_DIR to the system's folder. Without a second party no certificate can be made.`,
    );
  }
  tell.note("The guardian signs a commitment to its secret; then the service commits to its own.");
  const { secret } = await joinDraw(tell, admin, guardian, campaignId);
  await tell.call("POST", `/v1/campaigns/${campaignId}/draw`, { as: admin });
  tell.note("The draw block is over and the service has revealed its secret. The guardian's secret draws the sample.");
  await tell.call("POST", `/v1/campaigns/${campaignId}/draw/secret`, { as: admin, body: { secret } });
}

type Campaign = { campaignId: string; run: string; isFirst: boolean; isHalf: boolean };

async function fileClaims(
  tell: Narrator,
  admin: Caller,
  { campaignId, run, isFirst, isHalf }: Campaign,
): Promise<void> {
  tell.step(
    isHalf ? "The field team has measured half of the kitchens" : "The field team files what each kitchen burnt",
    "The control group first: a saving is measured against it.",
  );
  const { body } = await tell.call("GET", `/v1/campaigns/${campaignId}`, { as: admin, quiet: true });
  const groups = body.groups as Record<Group, { sample: string[] }>;
  for (const testGroup of ["reference", "intervention"] as const) {
    const sample = groups[testGroup].sample.filter((did) => did !== published.household);
    const households = isHalf ? sample.slice(0, sample.length / 2) : sample;
    for (const [i, householdId] of households.entries()) {
      const claim = { type: "KPTClaim", campaignId, householdId, testGroup, testPeriod, externalFactors };
      const fuelMeasurements = measure(daily[testGroup], Number.parseInt(run, 36) + i);
      const evidence = [`https://photos.example/${campaignId}/${testGroup}-${i}.jpg`];
      await tell.call("POST", "/v1/claims", {
        as: admin,
        body: { ...claim, fuelMeasurements, evidence },
        quiet: i > 0,
      });
    }
    tell.note(`and ${households.length - 1} more of the ${testGroup} group`);
  }
  if (!isFirst) return;
  tell.note("The published example, sent as it is printed.");
  await tell.call("POST", "/v1/claims", { as: admin, body: example });
}

/** Four daily logs in kg around a mean in grams, up to 8 % off, and their exact sum. */
function measure(grams: number, salt: number): { total: number; dailyLogs: number[] } {
  const logs = Array.from({ length: 4 }, (_, day) => Math.round(grams * (0.92 + ((salt * 7 + day * 5) % 17) / 100)));
  return { total: logs.reduce((sum, log) => sum + log, 0) / 1_000, dailyLogs: logs.map((log) => log / 1_000) };
}

async function serializeResult(
  tell: Narrator,
  admin: Caller,
  to: { campaignId: string; dataDir: string },
): Promise<void> {
  const { campaignId, dataDir } = to;
  tell.step("Close the campaign: the result, every step with its source", "Its hash is on chain from now on.");
  await tell.call("POST", `/v1/campaigns/${campaignId}/close`, { as: admin, body: {} });
  const picture = join(dataDir, "demo-result.svg");
  const drawn = await fetch(`${tell.apiUrl}/v1/campaigns/${campaignId}/result.svg`, {
    headers: { authorization: `Bearer ${admin.key}` },
  });
  if (!drawn.ok) throw new Error(`The result was not drawn: ${drawn.status}`);
  await writeFile(picture, await drawn.text());
  tell.note(`Both groups drawn: ${picture}`);
}

/** A verifier asks, the implementer answers; then the verifier signs all that the result follows from. */
async function verifyResult(
  tell: Narrator,
  { admin, verifier }: Cast,
  { campaignId, dataDir }: { campaignId: string; dataDir: string },
): Promise<void> {
  tell.step(
    "A verifier asks, the implementer answers, the verifier signs the data room",
    "Without a trusted verifier's signature no certificate follows from the result.",
  );
  const path = `/v1/campaigns/${campaignId}`;
  const finding = { kind: "CL", text: "How were the scales checked in the field?", reference: "KPT protocol 4.2" };
  const { body } = await tell.call("POST", `${path}/findings`, { as: admin, body: finding });
  const answer = { text: "Each morning with a brass weight of 5 kg." };
  await tell.call("POST", `${path}/findings/${body.number}/answers`, { as: admin, body: answer });
  await tell.call("POST", `${path}/findings/${body.number}/closure`, { as: admin, body: { text: "Explained." } });
  const room = await fetch(`${tell.apiUrl}${path}/data-room`, { headers: { authorization: `Bearer ${admin.key}` } });
  if (!room.ok) throw new Error(`There is no data room: ${room.status}`);
  const file = join(dataDir, "demo-data-room.zip");
  await writeFile(file, Buffer.from(await room.arrayBuffer()));
  const dataRoomHash = room.headers.get("data-room-hash");
  const credential = await verifier.issue("DataRoomVerificationCredential", { campaignId, dataRoomHash });
  await tell.call("POST", `${path}/verifications`, { as: admin, body: { verifiableCredential: credential } });
  tell.note(
    `Anyone who knows ${tell.apiUrl}/.well-known/did.json (here did.json) can repeat the result without this system:`,
  );
  tell.note(`npm run repeat -- ${file} --did-document did.json`);
}

const today = (plus = 0) => new Date(Date.now() + plus * 86_400_000).toISOString().slice(0, 10);
