import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { makeZip } from "client-zip";
import { CompactSign, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair } from "jose";
import { receiptSubject } from "../api/scheme/campaigns/dataroom/manifest.ts";
import type { CampaignResponse } from "../api/scheme/campaigns/schemas.ts";
import { flagRules } from "../api/scheme/emissions/index.ts";
import { implementerDid } from "../test/support/campaigns.ts";
import { changedRoom, type RoomChange } from "../test/support/changed-room.ts";
import { type ClosedScene, certifiableTerms, openClosedScene } from "../test/support/closed-campaign.ts";
import { requireStatus } from "../test/support/registry.ts";
import { serviceAsParty } from "../test/support/second-party.ts";
import { readZip } from "../test/support/zip.ts";
import { repeatCommand } from "./repeat/command.ts";
import { openRoom } from "./repeat/open-room.ts";
import { repeatRoom } from "./repeat/repeat-room.ts";
import { runCommand } from "./run-command.ts";

let scene: ClosedScene;
let folder: string;
let room: Buffer;
let issuer: string;
/** The second party of the draw. */
let party: string;
before(async () => {
  scene = await openClosedScene();
  folder = await mkdtemp(join(tmpdir(), "hearth-repeat-"));
  const campaign = await scene.closedCampaign({
    frameSize: 5,
    sampleSize: 4,
    devices: "missing",
    withSecondDevice: true,
    withMonitors: true,
    charcoal: 0.5,
  });
  room = await scene.dataRoom(campaign.campaignId);
  party = campaign.drawParties.secondParty?.account ?? "";
  issuer = join(folder, "did.json");
  await writeFile(issuer, JSON.stringify(scene.registry.deps.files.identity.document));
});
after(async () => {
  await scene?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Call the command in this process: to load what it needs takes a process longer than its work. */
async function repeat(file: string | Buffer, ...args: string[]) {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const output = { log: (text: string) => stdout.push(`${text}\n`), error: (text: string) => stderr.push(`${text}\n`) };
  const code = await repeatCommand([await pathTo(file), ...args], output);
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

/** Run the command in a separate process. */
async function runRepeat(file: string | Buffer, ...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "repeat.ts"), await pathTo(file), ...args], {
    cwd: folder,
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

async function pathTo(file: string | Buffer): Promise<string> {
  if (typeof file === "string") return file;
  const path = join(folder, `${Math.random()}.zip`);
  await writeFile(path, file);
  return path;
}

/** The campaign's data room, or another one, with changed files. */
const changed = (change: RoomChange, { of = room, ...options }: { sealed?: boolean; of?: Buffer } = {}) =>
  changedRoom(of, change, options);

/** What was found, with another last digit. */
const otherDigit = (found: string) => `${found.slice(0, -1)}${found.endsWith("0") ? "1" : "0"}`;

function edit(path: string, from: string | RegExp, to: string | ((found: string) => string)): RoomChange {
  return (files) => {
    const name = [...files.keys()].find((each) => each.endsWith(path)) ?? assert.fail(path);
    const before = files.get(name)?.toString() ?? "";
    const after = before.replace(from, to as () => string);
    assert.notEqual(after, before, `${path} has no ${from}`);
    files.set(name, Buffer.from(after));
  };
}

test("repeats draw, claims, completeness and every figure, and needs a root of trust", async () => {
  const verified = await runRepeat(room, "--did-document", issuer, "--second-party", party);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.doesNotMatch(verified.stdout, /DIFFERS/);
  assert.match(verified.stdout, /same +Stove-use monitors: events of 4 series counted again/);
  assert.match(verified.stdout, /same +Figures: \d{2,} numbers calculated again/);
  const alone = await repeat(room);
  assert.equal(alone.code, 1);
  assert.match(
    alone.stdout,
    /Not verified: anyone can make a file that is consistent in itself\. Compare too:\n- the iss/,
  );
  const ofIssuer = await repeat(room, "--did-document", issuer);
  assert.equal(ofIssuer.code, 1, "what the issuer says about its accounts proves nothing");
  assert.match(ofIssuer.stdout, /Compare too:\n- who holds the second party's key .*\nOr accept/);
  assert.equal((await repeat(room, "--unanchored")).code, 0);
});

test("repeats a campaign of a sampling profile, and names a second party that the terms do not commit", async () => {
  const { campaignId } = await scene.closedCampaign({ profile: "95/5" });
  const bytes = await scene.dataRoom(campaignId);
  const path = join(folder, "profile.zip");
  await writeFile(path, bytes);
  assert.equal((await repeatRoom(path, "profile.zip", {})).faults, 0);
  const { anvil, contracts } = scene.registry.world;
  const node = { rpc: anvil.url, contract: contracts.addresses.campaigns };
  assert.equal((await repeatRoom(path, "profile.zip", { node })).faults, 0);
  const other = await changed(
    edit("campaign.json", /\\"secondParty\\":\\"0x..../, (found) => `${found.slice(0, -4)}dead`),
    {
      of: bytes,
    },
  );
  await writeFile(path, other);
  const { steps } = await repeatRoom(path, "profile.zip", {});
  assert.match(steps.flatMap(({ faults }) => faults).join("\n"), /The terms commit 0xdead\w+ as the second party/);
});

test("compares the draw, the claims, the result's hash and the parameters with the reader's node", async () => {
  const { anvil, contracts } = scene.registry.world;
  const { campaigns, parameters } = contracts.addresses;
  const node = ["--rpc", anvil.url, "--contract", campaigns, "--second-party", party, "--did-document", issuer];
  const verified = await repeat(room, ...node, "--parameters", parameters);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.match(verified.stdout, /same +Chain: the regulator's list has the same 1 parameters/);
  const without = await repeat(room, ...node);
  assert.equal(without.code, 1);
  assert.match(without.stdout, /Compare too:\n- the regulator's parameters \(--parameters\)\nOr accept/);
  const other = await repeat(await changed(edit("claims.json", /"reason":null/, '"reason":"x"')), ...node);
  assert.equal(other.code, 1);
  const lies: [RoomChange, RegExp][] = [
    [edit("parameters.json", /"value":"0\.\d+"/, '"value":"0.95"'), /PRM-\d+\.value +0\.95 +0\.4\d*\n/],
    [edit("parameters.json", /"source":"/, '"source":"another '), /PRM-\d+\.source +another/],
    [edit("parameters.json", /"id":"PRM-\d+"/, '"id":"PRM-99999"'), /PRM-99999 is not on the list of parameters of 0x/],
    [(files) => files.set("parameters.json", Buffer.from("[]")), /The terms name PRM-\d+, which the chain has and/],
  ];
  for (const [change, sentence] of lies) {
    const lie = await repeat(await changed(change), ...node, "--parameters", parameters);
    assert.equal(lie.code, 1);
    assert.match(lie.stdout, sentence);
  }
});

test("compares what the regulator recorded for the plan with the reader's node, and finds a record that was left out", async () => {
  const { admin, world } = scene.registry;
  const planId = "PLAN-OF-ROOM";
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  requireStatus(await admin("POST", "/monitoring-plans", { planId, implementerDid, period }), 201);
  for (const given of [
    { kind: "plan-area", choice: "ZMB" },
    { kind: "plan-fuel", choice: "wood" },
  ]) {
    const record = { key: planId, source: "Approval of the plan", validFrom: "2024-01-01", ...given };
    requireStatus(await scene.regulator("POST", "/parameters", record), 201);
  }
  const { campaignId } = await scene.closedCampaign({ plan: { planId, implementer: scene.implementer } });
  const of = await scene.dataRoom(campaignId);
  const path = await pathTo(of);
  const { campaigns, parameters } = world.contracts.addresses;
  const node = { rpc: world.anvil.url, contract: campaigns, parameters };
  const { steps, faults } = await repeatRoom(path, "room.zip", { node });
  assert.equal(faults, 0);
  assert.ok(steps.some(({ title }) => title === "Chain: the regulator's list has the same 3 parameters"));
  const without = await changed(
    (files) => {
      const listed = JSON.parse(files.get("parameters.json")?.toString() ?? "") as { kind: string }[];
      const kept = listed.filter(({ kind }) => kind !== "plan-area");
      files.set("parameters.json", Buffer.from(JSON.stringify(kept)));
      edit("result.json", /"area":\{"id":"PRM-\d+","choice":"ZMB"\},/, "")(files);
    },
    { of },
  );
  await writeFile(path, without);
  const found = (await repeatRoom(path, "room.zip", { node })).steps.flatMap((each) => each.faults);
  assert.match(found.join("\n"), /PRM-\d+ records an area or fuel of the plan, which parameters\.json lacks/);
  const another = edit("parameters.json", '"unit":"ZMB"', '"unit":"MWI"');
  await writeFile(path, await changed(another, { of }));
  const { steps: compared } = await repeatRoom(path, "room.zip", { node });
  const differences = compared.flatMap((each) => each.differences.map(({ what }) => what));
  assert.ok(
    differences.some((what) => /^PRM-\d+\.unit$/.test(what)),
    differences.join(),
  );
  assert.ok(differences.includes("inputs.planRecords.area.choice"), differences.join());
});

/** A changed data room whose manifest lists what it has, with a receipt by `sign`. */
async function signedAgain(
  change: RoomChange,
  sign: (subject: object, hash: string, files: Map<string, Buffer>) => Promise<string>,
) {
  const files = await readZip(room);
  change(files);
  const manifest = JSON.parse(files.get("manifest.json")?.toString() ?? "");
  manifest.files = manifest.files.flatMap((file: { path: string }) => {
    const bytes = files.get(file.path);
    if (bytes === undefined) return [];
    return [{ ...file, bytes: bytes.byteLength, sha256: createHash("sha256").update(bytes).digest("hex") }];
  });
  const bytes = Buffer.from(JSON.stringify(manifest));
  const hash = `0x${createHash("sha256").update(bytes).digest("hex")}`;
  files.set("manifest.json", bytes);
  files.set("manifest.jwt", Buffer.from(await sign(receiptSubject(manifest, hash), hash, files)));
  return buffer(makeZip([...files].map(([name, input]) => ({ name, input }))) as unknown as NodeJS.ReadableStream);
}

/** Signs with a new key, which it adds to the data room's own copy of the DID document. */
async function signAsStranger(subject: object, _hash: string, files: Map<string, Buffer>): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair("EdDSA");
  const document = JSON.parse(files.get("issuer.json")?.toString() ?? "");
  const kid = `${document.id}#other`;
  const key = { id: kid, type: "JsonWebKey2020", controller: document.id, publicKeyJwk: await exportJWK(publicKey) };
  document.verificationMethod.push(key);
  document.assertionMethod.push(kid);
  files.set("issuer.json", Buffer.from(JSON.stringify(document)));
  const receipt = files.get("manifest.jwt")?.toString() ?? "";
  const payload = decodeJwt<{ vc: object }>(receipt);
  const signed = { ...payload, vc: { ...payload.vc, credentialSubject: subject } };
  return new CompactSign(Buffer.from(JSON.stringify(signed)))
    .setProtectedHeader({ ...decodeProtectedHeader(receipt), alg: "EdDSA", kid })
    .sign(privateKey);
}

const signAsService = (subject: object, hash: string) =>
  scene.registry.deps.credentials.attest({
    type: "DataRoomReceipt",
    id: `urn:hearth:data-room:${hash.slice(2)}`,
    subject: subject as Record<string, unknown>,
    issuedAt: new Date(),
  });

const nodeOf = () => {
  const { anvil, contracts } = scene.registry.world;
  const { campaigns, parameters } = contracts.addresses;
  return ["--rpc", anvil.url, "--contract", campaigns, "--parameters", parameters, "--second-party", party];
};

test("does not take a key of the data room itself for the issuer's, whatever the chain says", async () => {
  const altered = edit("usage-positions.json", /did:key:z6Mk\w+/, "did:web:famous-auditor.example");
  const forged = await signedAgain(altered, signAsStranger);
  const found = await repeat(forged, ...nodeOf());
  assert.equal(found.code, 1, found.stdout);
  assert.match(found.stdout, /It is signed by a key that you do not know/);
  assert.match(found.stdout, /Compare too:\n- the issuer \(--did-document or --issuer-key\)/);
  const known = await repeat(forged, "--did-document", issuer, ...nodeOf());
  assert.match(known.stdout, /does not have the key that signed/);
  assert.equal((await repeat(room, "--did-document", issuer, ...nodeOf())).code, 0);
});

test("finds that the service left out a file that a claim names, or told another end of a position", async () => {
  const without: RoomChange = (files) => {
    for (const path of files.keys()) if (path.endsWith("evidence-1")) files.delete(path);
  };
  const known = ["--did-document", issuer, ...nodeOf()];
  const left = await repeat(await signedAgain(without, signAsService), ...known);
  assert.equal(left.code, 1);
  assert.match(
    left.stdout,
    /KPT-\S+ names the evidence ipfs:\/\/baf\w+, and the data room has no file with these bytes/,
  );
  const record = await signedAgain((files) => {
    for (const path of files.keys()) if (path.endsWith("evidence-1.json")) files.delete(path);
  }, signAsService);
  assert.equal((await repeat(record, ...known)).code, 1);
  const refused = await signedAgain(edit("positions.json", '"reason":"absent"', '"reason":"refused"'), signAsService);
  const told = await repeat(refused, ...known);
  assert.equal(told.code, 1);
  assert.match(told.stdout, /positions\.\w+ \d+\.reason +refused +absent/);
});

test("names what a data room need not hold: links by CID and to other places, and scales without calibration", async () => {
  const cid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
  const { campaignId } = await scene.closedCampaign({ evidence: [`ipfs://${cid}`], charcoal: 0.5, scaleId: "SCALE-9" });
  const { code, stdout } = await repeat(await scene.dataRoom(campaignId), "--unanchored");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /Links to evidence that is stored elsewhere: 2 of claims, \d of the usage survey\./);
  assert.match(stdout, /Visits name scales whose calibration the data room lacks: SCALE-9\./);
});

test("finds that the service had both secrets of a draw, whatever the data room says of its accounts", async () => {
  const own = serviceAsParty(scene.registry);
  const { campaignId } = await scene.closedCampaign({ party: own });
  const bytes = await scene.dataRoom(campaignId);
  const lie = await changed(
    (files) => {
      edit("draw.json", /"serviceAccounts":\[.*?\]/, '"serviceAccounts":[]')(files);
      edit("result.json", /"twoParties":false/g, '"twoParties":true')(files);
    },
    { of: bytes },
  );
  const accounts = Object.values(scene.registry.deps.chain.senders).map(({ address }) => address);
  const found = await repeat(lie, "--unanchored", "--service-accounts", accounts.join(","));
  assert.equal(found.code, 1);
  assert.match(found.stdout, /draw by two parties +true +false/);
  const other = await repeat(room, "--unanchored", "--second-party", own.account);
  assert.match(other.stdout, /The second party that you know is 0x\w+; 0x\w+ took part in the draw/);
});

/** Closed by the version before results were flagged for chosen days and stated figures, and named the rules of their flags. */
const olderRoom = join(import.meta.dirname, "../test/support/rooms/before-flag-rules.zip");

test("repeats a data room of a version with fewer flags, and tells what the later rules would flag", async () => {
  const strict = await repeat(olderRoom, "--unanchored");
  assert.equal(strict.code, 1, "leaving out the names of rules must not hide their flags");
  assert.match(strict.stdout, new RegExp(`DIFFERS +Flags: by the 3 of ${flagRules.length} rules`));
  const { code, stdout } = await repeat(olderRoom, "--unanchored", "--earlier-flags");
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    new RegExp(`same +Flags: by the 3 of ${flagRules.length} rules that the result was closed with`),
  );
  assert.match(stdout, /Not flagged at the close, by the later rule days-chosen: All reference households have fewer/);
  assert.match(stdout, /Not flagged at the close, by the later rule figures-stated: .* life 3, daf 0\.1, he 0\.9\./);
  const { steps } = await repeatRoom(await pathTo(room), "room.zip", {});
  assert.ok(!steps.some(({ title }) => title.startsWith("Flags:")), "a result of today was flagged by every rule");
});

test("repeats the replacements of a result, and finds evidence that was altered to hide that it is the same", async () => {
  const { campaignId } = await scene.closedCampaign({
    frameSize: 6,
    sampleSize: 4,
    replaced: 2,
  });
  const replaced = await scene.dataRoom(campaignId);
  const { code, stdout } = await repeat(replaced, "--unanchored");
  assert.equal(code, 0, stdout);
  const another = edit("positions.json", "https://photos.example/door.jpg", "https://photos.example/other.jpg");
  const found = await repeat(await changed(another, { of: replaced }), "--unanchored");
  assert.equal(found.code, 1);
  assert.match(found.stdout, /inputs\.replacements\.intervention\.0\.evidence/);
  const without = edit("result.json", /"replacements":\{"reference":\[\],"intervention":\[.*?\]\},/, "");
  const hidden = await repeat(await changed(without, { of: replaced }), "--unanchored");
  assert.equal(hidden.code, 1);
  assert.match(hidden.stdout, /inputs\.replacements/);
});

test("repeats which households were measured again after a revocation, and finds that a result leaves them out", async () => {
  const { campaignId } = await scene.closedCampaign({ remeasured: 1, days: 3 });
  const again = await scene.dataRoom(campaignId);
  const { code, stdout } = await repeat(again, "--unanchored");
  assert.equal(code, 0, stdout);
  const without = edit("result.json", /"remeasured":\{"reference":\[\{.*?\],"intervention":\[\]\},/, "");
  const hidden = await repeat(await changed(without, { of: again }), "--unanchored");
  assert.equal(hidden.code, 1);
  assert.match(hidden.stdout, /inputs\.remeasured/);
});

test("repeats device-days that end at the close, and finds a result that counts the rest of the year", async () => {
  const now = new Date(Number(await scene.registry.deps.chain.now()) * 1_000);
  const day = (before: number) => new Date(now.getTime() - before * 86_400_000).toISOString().slice(0, 10);
  const vintage = now.getUTCFullYear();
  const { campaignId } = await scene.closedCampaign({
    firstDay: day(6),
    emissions: { ...certifiableTerms, vintage },
  });
  const current = await scene.dataRoom(campaignId);
  const { record } = JSON.parse((await readZip(current)).get("result.json")?.toString() ?? "");
  const today = day(0);
  const days = (Date.parse(today) - Date.parse(`${vintage}-01-01`)) / 86_400_000 + 1;
  assert.deepEqual([record.devicesTo, record.devices.days], [today, 3 * days]);
  const { code, stdout } = await repeat(current, "--unanchored");
  assert.equal(code, 0, stdout);
  assert.match(stdout, new RegExp(`same +Device-days: counted to ${today}, not after the close`));
  if (today.endsWith("-12-31")) return;
  const longer = edit("result.json", `"devicesTo":"${today}"`, `"devicesTo":"${vintage}-12-31"`);
  const found = await repeat(await changed(longer, { of: current }), "--unanchored");
  assert.match(found.stdout, new RegExp(`The result counts devices to ${vintage}-12-31; the campaign was closed on`));
  const without = edit("result.json", `"devicesTo":"${today}",`, "");
  const hidden = await repeat(await changed(without, { of: current }), "--unanchored");
  assert.match(hidden.stdout, new RegExp(`The result counts devices to ${vintage}-12-31; the campaign was closed on`));
});

test("repeats what was measured before the draw, and finds a draw whose time was altered to hide it", async () => {
  const hidden = edit("draw.json", /"blockTime":\d+/, '"blockTime":1700000000');
  const { code, stdout } = await repeat(await changed(hidden), "--unanchored");
  assert.equal(code, 1);
  assert.match(stdout, /inputs\.beforeDraw\.drawnOn/);
  const without = await repeat(await changed(edit("draw.json", /"blockTime":\d+,/, "")), "--unanchored");
  assert.equal(without.code, 1);
  assert.match(without.stdout, /inputs\.beforeDraw/);
});

/** Closed by the version before devices were counted by household: three in the intervention frame and two in another household. */
const plainDevices = join(import.meta.dirname, "../test/support/rooms/before-device-households.zip");

test("repeats a data room whose list of devices has no households, and says what that does not show", async () => {
  // Its survey's devices have one piece of evidence, which that version did not flag.
  const { code, stdout } = await repeat(plainDevices, "--unanchored", "--earlier-flags");
  assert.equal(code, 0, stdout);
  assert.match(
    stdout,
    /same +Devices: 5 of the plan\n +The list numbers no households, as in results of earlier versions/,
  );
  const today = await repeat(room, "--unanchored");
  assert.equal(today.code, 0, today.stdout);
  assert.match(
    today.stdout,
    /same +Devices: 6 of the plan; one at a time of each household of the intervention frame counts/,
  );
});

test("finds that the flags of an older data room were altered", async () => {
  const without = edit("result.json", /"flags":\[\{.*?\}\]/, '"flags":[]');
  const altered = await changed(without, { of: await readFile(olderRoom) });
  const found = await repeat(altered, "--unanchored", "--earlier-flags");
  assert.equal(found.code, 1);
  assert.match(found.stdout, /flags\.0 +none +\{"group":"reference","rule":"household-size-stated"/);
});

test("asks for a newer version where a data room was flagged by rules that this one does not know", async () => {
  const newer = await repeat(await changed(edit("result.json", '"flagRules":[', '"flagRules":["of-tomorrow",')));
  assert.equal(newer.code, 1);
  assert.match(
    newer.stderr,
    /rules that this version does not know \(of-tomorrow\)\. Repeat it with a newer version\.\n$/,
  );
});

const alterations: [name: string, change: RoomChange, expected: RegExp][] = [
  ["a figure of the result", edit("result.json", /"mean":6,/, '"mean":6.1,'), /groups\.reference\.mean +6\.1 +6\b/],
  [
    "a step of the calculation",
    edit("result.json", /("name":"Saving, wood: mean","value":)3/, "$14"),
    /lines\.\d+\.value/,
  ],
  [
    "an input of the result",
    edit("result.json", /"totalGrams":"\d+"/, '"totalGrams":"1"'),
    /inputs\.claims\.0\.totalGrams/,
  ],
  ["a daily log of a claim", edit("/claim.json", /"dailyLogs":\[\d/, '"dailyLogs":[9'), /KPT-\S+\.claimHash/],
  ["a listed fuel", edit("claims.json", /"charcoal":"\d+"/, '"charcoal":"1"'), /KPT-\S+\.fuels\.charcoal +1 +1500/],
  ["a listed claim", edit("claims.json", /"totalGrams":"\d+"/, '"totalGrams":"1"'), /KPT-\S+\.grams +1 +\d+/],
  ["a hash of a claim", edit("claims.json", /"claimHash":"0x./, otherDigit), /KPT-\S+\.claimHash/],
  ["a position of the draw", edit("draw.json", /"position":1/, '"position":2'), /sample\.1\.position +2 +1/],
  ["a secret of the draw", edit("draw.json", /"operator":"0x./, otherDigit), /seed/],
  ["a leaf of a frame", edit("draw.json", /"leaves":\["0x./, otherDigit), /frame of the \w+ group\.root/],
  [
    "the end of a position",
    edit("positions.json", /"ended":"missing"/, '"ended":"measured"'),
    /is stated as measured and has no claim/,
  ],
  [
    "a committed term",
    edit("campaign.json", /\\"daf\\":\\"0.1\\"/, '\\"daf\\":\\"0.2\\"'),
    /inputs\.terms\.daf +0\.1 +0\.2/,
  ],
  ["a device", edit("devices.json", /"installedOn":"2024-01-0./, '"installedOn":"2024-03-01'), /inputs\.devices\.days/],
  ["the household of a device", edit("devices.json", /"household":4/, '"household":3'), /inputs\.devices\.days/],
  [
    "a device of another household",
    edit("devices.json", /"household":0/, '"household":9'),
    /inputs\.deviceHouseholds\.(inFrame|ofPlan)/,
  ],
  [
    "a device's lack of a household",
    edit("devices.json", /"household":\d,/g, ""),
    /has no number of the household of 6 devices/,
  ],
  ["a drawn device", edit("usage-positions.json", /"position":1/, '"position":7'), /drawn devices\.1\.position +7 +1/],
  ["the record of a device", edit("usage-positions.json", /"inUse":true/, '"inUse":false'), /usageSurvey\.0\.inUse/],
  ["a hash of a device", edit("usage-frame.json", /"leaf":"0x./, otherDigit), /root of the devices/],
  ["a flag", edit("result.json", /\{"group":"reference","rule":"days-chosen".*?\},/, ""), /flags\.\d\.rule/],
  ["a rule of the flags", edit("result.json", /"days-chosen",(?="days-differ")/, ""), /flags\.\d\.rule +days-chosen/],
  [
    "evidence of several claims",
    edit("result.json", /"sharedEvidence":\{"reference":\[0,1\]/, '"sharedEvidence":{"reference":[]'),
    /inputs\.sharedEvidence\.reference\.0 +none +0/,
  ],
  [
    "the flag of that evidence",
    edit("result.json", /"shared-evidence",(?="evidence-of)/, ""),
    /flags\.\d+ +\{.*"shared-evidence"/,
  ],
  ["the hash of the close", edit("campaign.json", /"resultHash":"0x./, otherDigit), /hash on chain/],
  [
    "a photo",
    (files) => files.set([...files.keys()].find((path) => path.endsWith("evidence-1")) ?? "", Buffer.from("x")),
    /is not a piece of evidence/,
  ],
  ["the events of a monitor", edit("stove-use.json", /"events":3/, '"events":2'), /stove use\.0\.events +2 +3/],
  [
    "the rule of cooking events",
    edit("stove-use.json", /"aboveCelsius":75/, '"aboveCelsius":40'),
    /aboveCelsius +40 +75/,
  ],
  [
    "a reading of a monitor",
    edit("evidence-2.csv", "17:30:00+02:00,on", "17:30:00+02:00,off"),
    /is not a piece of evidence/,
  ],
  [
    "the list of monitors",
    (files) => files.set("stove-use.json", Buffer.from('{"rule":{},"series":[]}')),
    /stove use\.0 +none/,
  ],
  ["a credential", edit("credential.jwt", /\..{8}/, ".AAAAAAAA"), /KPT-\S+: The credential's signature does not hold/],
];

for (const [name, change, expected] of alterations) {
  test(`finds that ${name} was altered, with or without a new manifest`, async () => {
    for (const sealed of [true, false]) {
      const path = join(folder, "altered.zip");
      await writeFile(path, await changed(change, { sealed }));
      const { faults, steps } = await repeatRoom(path, "altered.zip", {});
      assert.ok(faults > 0);
      const told = steps.flatMap((step) => [
        ...step.faults,
        ...step.differences.map(({ what, stated, repeated }) => `${what} ${stated} ${repeated}`),
      ]);
      assert.match(told.join("\n"), expected);
      if (!sealed) assert.match(told.join("\n"), /has the SHA-256/);
      else assert.match(told.join("\n"), /The receipt is of another manifest/);
    }
  });
}

test("ends with 1 and the table of stated and repeated values when a figure was altered", async () => {
  const altered = await changed(edit("result.json", /"mean":6,/, '"mean":6.1,'));
  const { code, stdout } = await repeat(altered, "--did-document", issuer);
  assert.equal(code, 1);
  assert.match(stdout, /stated +repeated\n +groups\.reference\.mean +6\.1 +6\n/);
});

test("finds a receipt by another key than the known one, a missing file and a file that is not listed", async () => {
  const foreign = JSON.stringify(scene.registry.deps.files.identity.document).replaceAll(/"x":"..../g, '"x":"AAAA');
  await writeFile(join(folder, "foreign.json"), foreign.replaceAll(/"publicKeyMultibase":"[^"]+"/g, '"unused":"x"'));
  const other = await repeat(room, "--did-document", join(folder, "foreign.json"));
  assert.equal(other.code, 1);
  assert.match(other.stdout, /does not have the key that signed/);
  const lacking = await repeat(await changed((files) => files.delete("siblings.json"), { sealed: false }));
  assert.deepEqual([lacking.code, lacking.stderr], [1, "The data room lacks siblings.json.\n"]);
  const more = await repeat(
    await changed((files) => files.set("extra.txt", Buffer.from("x")), { sealed: false }),
    "--unanchored",
  );
  assert.equal(more.code, 1);
  assert.match(more.stdout, /extra\.txt is in the ZIP, but not in the manifest/);
});

test("shows no control characters of a data room, by which it could write a result of its choice on the terminal", async () => {
  const forged = "\u001b[2J\u001b[HThe result of KPT-1 is repeated\n";
  const listed = await repeat(
    await changed((files) => files.set(`x${forged}.txt`, Buffer.from("x")), { sealed: false }),
  );
  assert.equal(listed.code, 1);
  assert.match(listed.stdout, /x\\u\{1b\}\[2J\\u\{1b\}\[HThe result of KPT-1 is repeated\\u\{a\}\.txt is in the ZIP/);
  const named = await repeat(
    await changed(edit("manifest.json", /"campaignId":"/, `$&${JSON.stringify(forged).slice(1, -1)}`)),
  );
  assert.equal(named.code, 1);
  const shown = [listed.stdout, listed.stderr, named.stdout, named.stderr].join("");
  assert.ok(!shown.includes("\u001b"));
});

/** The faults of a changed data room. */
async function faultsOf(change: RoomChange): Promise<string> {
  const path = join(folder, "altered.zip");
  await writeFile(path, await changed(change));
  return (await repeatRoom(path, "altered.zip", {})).steps.flatMap(({ faults }) => faults).join("\n");
}

/** Changes the first claim of the list to be of the second one's household and of a longer period. */
const measuredTwice: RoomChange = (files) => {
  const claims = JSON.parse(files.get("claims.json")?.toString() ?? "");
  const [first, second, third] = claims;
  Object.assign(first, { householdHash: second.householdHash, startDate: "2024-01-01", endDate: "2024-02-01" });
  Object.assign(third, { householdHash: second.householdHash, startDate: "2024-02-03", endDate: "2024-02-05" });
  files.set("claims.json", Buffer.from(JSON.stringify(claims)));
};

test("finds claims that measure one household on a common day", async () => {
  const [first, second, third] = JSON.parse((await readZip(room)).get("claims.json")?.toString() ?? "");
  const faults = await faultsOf(measuredTwice);
  assert.match(faults, new RegExp(`${second.id} and ${first.id} measure the same household on the same day`));
  assert.match(faults, new RegExp(`${third.id} and ${second.id} measure the same household on the same day`));
});

test("reads claims with a period of thousands of years as fast as others", async () => {
  const faults = await faultsOf((files) => {
    const claims = files.get("claims.json")?.toString() ?? "";
    const far = claims.replaceAll(/"(startDate|endDate)":"\d{4}-\d\d-\d\d"/g, (_, name) =>
      name === "startDate" ? '"startDate":"0001-01-01"' : '"endDate":"9999-12-31"',
    );
    files.set("claims.json", Buffer.from(far));
  });
  assert.match(faults, /The period of KPT-\S+ is outside the test period/);
});

test("refuses a ZIP whose JSON files would together fill the memory", async () => {
  const path = join(folder, "large.zip");
  await writeFile(path, room);
  await assert.rejects(openRoom(path, path, 20_000), /The files of the ZIP that are read have more than 20000 bytes/);
});

test("says what is wrong with a file that is not a data room, and with wrong usage", async () => {
  const broken = await repeat(room.subarray(0, room.length / 2));
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /is not a ZIP that can be read: .*[^.]\.\n$/);
  const refused = await repeat(Buffer.from('{"status":409,"message":"The campaign is open."}'));
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /: it is the answer 409 of the API, "The campaign is open\."\.\n$/);
  const missing = await runRepeat("none.zip");
  assert.deepEqual([missing.code, missing.stderr], [1, "none.zip cannot be read: there is no such file.\n"]);
  const empty = await repeat(
    await buffer(makeZip([{ name: "a.txt", input: "x" }]) as unknown as NodeJS.ReadableStream),
  );
  assert.match(empty.stderr, /is not a data room: it has no manifest\.json/);
  const help = await runRepeat("--help");
  assert.equal(help.code, 0);
  assert.match(help.stdout, /Usage: npm run repeat/);
  const unknown = await runRepeat("none.zip", "--unknown");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /Usage: npm run repeat/);
  for (const args of [
    ["--rpc", "http://127.0.0.1:1"],
    ["--issuer-key", "x"],
    ["second.zip"],
    ["--second-party", "x"],
    ["--parameters", `0x${"1".repeat(40)}`],
  ]) {
    assert.equal((await repeat("none.zip", ...args)).code, 2, args.join(" "));
  }
});

test("repeats data rooms from before and after a rotation of the key that signs, by the history of keys", async () => {
  const { registry } = scene;
  const { campaignId } = await scene.closedCampaign();
  const before = await scene.dataRoom(campaignId);
  const { dataDir } = registry.deps.config;
  const rotated = await runCommand(process.execPath, [join(import.meta.dirname, "rotate-signing-key.ts")], {
    env: { DATA_DIR: dataDir },
    quiet: true,
  });
  assert.equal(rotated.code, 0, rotated.output);
  await registry.restart();
  const after = await scene.dataRoom(campaignId);
  const [receiptBefore, receiptAfter] = [await receiptOf(before), await receiptOf(after)];
  assert.notEqual(receiptAfter.kid, receiptBefore.kid, "the new key signs");
  assert.equal(receiptAfter.dataRoomHash, receiptBefore.dataRoomHash, "a verifier's signature stays of this data room");

  const known = join(folder, "did-after.json");
  const answer = await registry.app.request("/.well-known/did.json");
  await writeFile(known, await answer.text());
  const { anvil, contracts } = registry.world;
  const { campaigns, parameters } = contracts.addresses;
  const campaign = requireStatus(await scene.implementer("GET", `/campaigns/${campaignId}`), 200).body;
  const second = (campaign as CampaignResponse).drawParties.secondParty?.account ?? "";
  const node = ["--rpc", anvil.url, "--contract", campaigns, "--parameters", parameters, "--second-party", second];
  for (const each of [before, after]) {
    const repeated = await repeat(each, "--did-document", known, ...node);
    assert.equal(repeated.code, 0, repeated.stdout + repeated.stderr);
  }
  const ofBefore = await repeat(after, "--did-document", issuer, ...node);
  assert.equal(ofBefore.code, 1, "a document of before the rotation does not have the new key");
  assert.match(ofBefore.stdout, /does not have the key that signed/);

  const withoutHistory = JSON.parse(await readFile(known, "utf8")) as { assertionMethod: string[] };
  withoutHistory.assertionMethod = withoutHistory.assertionMethod.filter((id) => !id.startsWith(receiptBefore.kid));
  const removed = join(folder, "did-removed.json");
  await writeFile(removed, JSON.stringify(withoutHistory));
  const ofRemoved = await repeat(before, "--did-document", removed, ...node);
  assert.equal(ofRemoved.code, 1, "a former key that was removed, as after a theft, proves nothing");
});

/** The key and the data room that the receipt of a data room names. */
async function receiptOf(zip: Buffer): Promise<{ kid: string; dataRoomHash: string }> {
  const jwt = (await readZip(zip)).get("manifest.jwt")?.toString() ?? assert.fail("The data room has no receipt.");
  const { vc } = decodeJwt<{ vc: { credentialSubject: { dataRoomHash: string } } }>(jwt);
  return { kid: decodeProtectedHeader(jwt).kid ?? "", dataRoomHash: vc.credentialSubject.dataRoomHash };
}
