import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { privateKeyToAccount } from "viem/accounts";
import { implementerDid, otherImplementerDid, planId } from "../../../../test/support/campaigns.ts";
import { type ClosedScene, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { createIssuer, hashOf, type TestIssuer } from "../../../../test/support/credentials.ts";
import { sendInterrupted } from "../../../../test/support/interrupted.ts";
import {
  type Caller,
  exampleCertificate,
  registerHouseholds,
  requireStatus,
  rulesOf,
  withCredential,
} from "../../../../test/support/registry.ts";
import { openEventStream } from "../../../platform/events/stream.ts";
import type { EventMessage } from "../../../platform/events/visibility.ts";
import type { Actor } from "../../../platform/http/index.ts";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";
import { createWebhook, listDeliveries } from "../../../platform/webhooks/service.ts";
import { reservedCampaigns, reserveResult } from "../result/store.ts";
import { serviceAccountsOf } from "../service-accounts.ts";
import { actsOf, addAct } from "./acts.ts";
import type { FindingResponse, VerificationResponse } from "./schemas.ts";

let scene: ClosedScene;
let evaluator: Caller;
const verifier = createIssuer();
before(async () => {
  scene = await openClosedScene();
  evaluator = await scene.registry.as("evaluator");
  const trusted = { did: verifier.did, credentialTypes: ["EmissionReductionCredential"] };
  requireStatus(await scene.registry.admin("POST", "/issuers", trusted), 201);
});
after(() => scene?.close());

const car = { kind: "CAR", text: "The scale's calibration is not shown.", reference: "TPDDTEC 4.2" };

async function hashOfRoom(campaignId: string): Promise<string> {
  const answer = await scene.registry.admin("GET", `/campaigns/${campaignId}/data-room`);
  return requireStatus(answer, 200).headers.get("data-room-hash") ?? "";
}

function signed(campaignId: string, dataRoomHash: string, by = verifier): Promise<string> {
  return by.signCredential({
    type: "DataRoomVerificationCredential",
    subject: { campaignId, dataRoomHash },
  } as never) as Promise<string>;
}

const verificationOf = async (campaignId: string, call: Caller = scene.implementer) =>
  requireStatus(await call("GET", `/campaigns/${campaignId}/findings`), 200).body as VerificationResponse;

let serial = 9_000_000;
async function certificateAnswer(campaignId: string) {
  serial += 100;
  const underlyingUnits = { registry: "Gold Standard", firstSerial: serial, lastSerial: serial + 99 };
  const body = { certificateId: `CERT-${campaignId}`, activityId: "ACT-KPT", underlyingUnits };
  return scene.regulator("POST", `/campaigns/${campaignId}/certificate`, body);
}

test("a verifier opens findings, the implementer answers, the verifier closes and signs, and only then a certificate follows", async () => {
  const { campaignId, planId: ownPlanId } = await scene.closedCampaign();
  const path = `/campaigns/${campaignId}/findings`;
  const opened = requireStatus(await evaluator("POST", path, car), 201).body as FindingResponse;
  assert.partialDeepStrictEqual(opened, { number: 1, kind: "CAR", status: "open", opened: { text: car.text } });
  const far = { kind: "FAR", text: "Calibrate every scale each year." };
  assert.equal((requireStatus(await evaluator("POST", path, far), 201).body as FindingResponse).number, 2);

  const early = await certificateAnswer(campaignId);
  assert.deepEqual([early.status, rulesOf(early)], [400, ["data-room-verified", "findings-closed"]]);
  assert.match(JSON.stringify(early.body), /CAR 1 is not closed: The scale's calibration is not shown\./);
  const unanswered = await evaluator("POST", `${path}/1/closure`, { text: "done" });
  assert.deepEqual([unanswered.status, rulesOf(unanswered)], [409, ["finding-answered"]]);
  const reply = { text: "The certificate is attached.", reference: "ipfs://x" };
  const answered = requireStatus(await scene.implementer("POST", `${path}/1/answers`, reply), 201).body;
  assert.equal((answered as FindingResponse).status, "answered");
  const closed = requireStatus(await evaluator("POST", `${path}/1/closure`, { text: "Resolved." }), 201).body;
  assert.equal((closed as FindingResponse).status, "closed");
  for (const [call, act] of [
    [evaluator, "closure"],
    [scene.implementer, "answers"],
  ] as const) {
    const late = await call("POST", `${path}/1/${act}`, { text: "again" });
    assert.deepEqual([late.status, rulesOf(late)], [409, ["finding-open"]]);
  }

  const unsigned = await certificateAnswer(campaignId);
  assert.deepEqual([unsigned.status, rulesOf(unsigned)], [400, ["data-room-verified"]]);
  const dataRoomHash = await hashOfRoom(campaignId);
  const credential = { verifiableCredential: await signed(campaignId, dataRoomHash) };
  requireStatus(await evaluator("POST", `/campaigns/${campaignId}/verifications`, credential), 201);
  const twice = await evaluator("POST", `/campaigns/${campaignId}/verifications`, credential);
  assert.deepEqual([twice.status, rulesOf(twice)], [409, ["credential-unused"]]);
  const state = await verificationOf(campaignId);
  assert.deepEqual([state.openFindings, state.verifications.length], [0, 1]);
  const certificate = requireStatus(await certificateAnswer(campaignId), 201).body;
  const { credential: issued } = certificate as { credential: { hash: string } };
  const stored = await scene.registry.deps.certificates.store.credential(issued.hash as `0x${string}`);
  const payload = JSON.parse(Buffer.from(stored?.token.split(".")[1] ?? "", "base64url").toString());
  assert.partialDeepStrictEqual(payload.vc.credentialSubject, {
    verification: { issuer: verifier.did, dataRoomHash },
    forwardActions: [`${campaignId} FAR 2`],
    findingsHash: state.log.at(-1)?.hash,
  });
  const over = await evaluator("POST", path, car);
  assert.deepEqual([over.status, rulesOf(over)], [409, ["campaign-not-certified"]]);

  const next = await scene.openCampaign({ plan: { planId: ownPlanId, implementer: scene.implementer } });
  const { carried } = await verificationOf(next.campaignId);
  assert.partialDeepStrictEqual(carried, [{ campaignId, number: 2, kind: "FAR", status: "open" }]);
  requireStatus(await scene.implementer("POST", `${path}/2/answers`, { text: "All were calibrated." }), 201);
  requireStatus(await evaluator("POST", `${path}/2/closure`, { text: "Seen." }), 201);
  assert.deepEqual((await verificationOf(next.campaignId)).carried, []);
});

test("makes no certificate of a result on which no verifier acted", async () => {
  const { campaignId } = await scene.closedCampaign();
  const answer = await certificateAnswer(campaignId);
  assert.deepEqual([answer.status, rulesOf(answer)], [400, ["data-room-verified"]]);
});

test("an open finding prevents every certificate of the same plan, households and year, by any issuer's credential", async () => {
  const campaign = await scene.closedCampaign();
  const { campaignId, planId } = campaign;
  const findings = `/campaigns/${campaignId}/findings`;
  requireStatus(await evaluator("POST", findings, car), 201);
  requireStatus(await evaluator("POST", findings, { kind: "FAR", text: "Calibrate every scale each year." }), 201);
  const scopes = ["certificates:write"];
  const integrator = await scene.registry.as("integrator", { scopes, dids: [implementerDid] });
  const send = async (changes: object, subject = {}) => {
    const body = exampleCertificate({ implementerDid, ...changes });
    return integrator("POST", "/certificates", await withCredential(verifier, body, { subject }));
  };
  const household = campaign.groups.intervention.sample[0] ?? "";
  const allocations = [{ householdDid: household, amount: 100 }];
  const period = { startDate: "2031-01-01", endDate: "2031-12-31" };
  const elsewhere = { planId: "PLAN-ELSEWHERE" };
  requireStatus(await scene.regulator("POST", "/monitoring-plans", { ...elsewhere, implementerDid, period }), 201);
  for (const [changes, subject] of [
    [{ planId }],
    [{ planId, allocationCount: 3 }],
    [{ planId: "default" }],
    [{ ...elsewhere, allocations }],
    [{ ...elsewhere, vintage: 2031, period }, { campaignId }],
  ] as const) {
    const refused = await send(changes, subject);
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["findings-closed"]], JSON.stringify(changes));
    assert.match(JSON.stringify(refused.body), new RegExp(`CAR 1 of campaign ${campaignId} is not closed`));
    assert.doesNotMatch(JSON.stringify(refused.body), /calibration/);
  }
  requireStatus(await send({ planId, vintage: 2031, period }), 201);
  requireStatus(await send(elsewhere), 201);

  requireStatus(await scene.implementer("POST", `${findings}/1/answers`, { text: "Attached." }), 201);
  assert.deepEqual(rulesOf(await send({ planId, allocations })), ["findings-closed"]);
  requireStatus(await evaluator("POST", `${findings}/1/closure`, { text: "Resolved." }), 201);
  requireStatus(await send({ planId, allocations }), 201);
});

test("an open finding prevents the allocation of a certificate that awaits it, and survives that its campaign is abandoned", async () => {
  const [household = ""] = [`did:ixo:household/awaited-${Date.now()}`];
  await registerHouseholds(scene.registry.admin, [household]);
  const body = exampleCertificate({ implementerDid, planId, allocationCount: 1 });
  requireStatus(await scene.regulator("POST", "/certificates", await withCredential(verifier, body)), 201);
  const { campaignId } = await scene.openCampaign({ plan: scene.sharedPlan });
  requireStatus(await evaluator("POST", `/campaigns/${campaignId}/findings`, car), 201);
  requireStatus(await scene.implementer("POST", `/campaigns/${campaignId}/abandonment`, { reason: "over" }), 201);
  const allocate = () =>
    scene.implementer("POST", `/certificates/${body.certificateId}/allocations`, {
      allocations: [{ householdDid: household, amount: 100 }],
    });
  assert.deepEqual(rulesOf(await allocate()), ["findings-closed"]);
  requireStatus(await scene.implementer("POST", `/campaigns/${campaignId}/findings/1/answers`, { text: "Yes." }), 201);
  requireStatus(await evaluator("POST", `/campaigns/${campaignId}/findings/1/closure`, { text: "Seen." }), 201);
  requireStatus(await allocate(), 201);
});

test("keeps what docs/examples/sign-data-room.mjs signs", async () => {
  const { campaignId } = await scene.closedCampaign();
  const example = new URL("../../../../docs/examples/sign-data-room.mjs", import.meta.url);
  const args = [fileURLToPath(example), campaignId, await hashOfRoom(campaignId)];
  const env = { ...process.env, SEED: "5e".repeat(32) };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
  const did = /did:key:z\w+/.exec(stderr)?.[0] ?? assert.fail(stderr);
  const path = `/campaigns/${campaignId}/verifications`;
  const early = await evaluator("POST", path, JSON.parse(stdout));
  assert.deepEqual([early.status, rulesOf(early)], [400, ["issuer-trusted"]]);
  const trusted = { did, credentialTypes: ["EmissionReductionCredential"] };
  requireStatus(await scene.registry.admin("POST", "/issuers", trusted), 201);
  requireStatus(await evaluator("POST", path, JSON.parse(stdout)), 201);
});

test("refuses a signature of another data room, by an issuer that is not trusted, or by this service", async () => {
  const { campaignId } = await scene.closedCampaign();
  const path = `/campaigns/${campaignId}/verifications`;
  const dataRoomHash = await hashOfRoom(campaignId);
  const send = async (verifiableCredential: unknown) => evaluator("POST", path, { verifiableCredential });
  const other = await send(await signed("KPT-other", `0x${"ab".repeat(32)}`));
  assert.deepEqual([other.status, rulesOf(other)], [400, ["campaign-named", "data-room-current"]]);
  const stranger = await send(await signed(campaignId, dataRoomHash, createIssuer()));
  assert.deepEqual([stranger.status, rulesOf(stranger)], [400, ["issuer-trusted"]]);
  const good = await signed(campaignId, dataRoomHash);
  const forged = await send(`${good.slice(0, -6)}AAAAAA`);
  assert.equal(forged.status, 400);
  assert.ok(rulesOf(forged).includes("proof-verifies"));
  const { credentials } = scene.registry.deps;
  const own = await credentials.attest({
    type: "DataRoomVerificationCredential" as never,
    id: "urn:hearth:test",
    subject: { campaignId, dataRoomHash },
    issuedAt: new Date("2024-01-01T00:00:00Z"),
  });
  assert.ok(rulesOf(await send(own)).includes("verifier-independent"));
  assert.equal((await verificationOf(campaignId)).verifications.length, 0);
});

/** A verification that an earlier version stored, which compared the verifier with the service alone. */
async function storeVerification(campaignId: string, issuer: TestIssuer): Promise<void> {
  const { deps } = scene.registry;
  const { campaign } = (await deps.campaigns.byId(campaignId)) ?? assert.fail(`no ${campaignId}`);
  const dataRoomHash = await hashOfRoom(campaignId);
  const credential = await signed(campaignId, dataRoomHash, issuer);
  const content = {
    act: "verified" as const,
    issuer: issuer.did,
    dataRoomHash,
    credentialHash: hashOf(credential),
    credential,
  };
  await addAct(deps, { idempotencyKey: undefined }, campaign, () => {
    return { finding: null, content, role: "evaluator", caller: "evaluator", at: deps.clock.now() };
  });
}

test("refuses the implementer as verifier, by its DID or an account that it has or had, and accounts of the service", async () => {
  const { admin, deps, world } = scene.registry;
  const own = createIssuer();
  const [first, second] = [11, 12].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer];
  const accountOfKey = (key: Buffer) => privateKeyToAccount(`0x${key.toString("hex")}`).address;
  const account = accountOfKey(first);
  requireStatus(await admin("POST", "/implementers", { did: own.did, account, name: "Measurer and verifier" }), 201);
  const plan = { planId: "PLAN-OWN", implementerDid: own.did };
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  requireStatus(await admin("POST", "/monitoring-plans", { ...plan, period }), 201);
  const { campaignId } = await scene.closedCampaign({
    plan: { planId: plan.planId, implementer: await scene.registry.as("implementer", { implementerDid: own.did }) },
  });
  const dataRoomHash = await hashOfRoom(campaignId);
  const path = `/campaigns/${campaignId}/verifications`;
  const senders = serviceAccountsOf(deps.chain);
  const dids = [account, ...senders].flatMap((each) => [
    `did:pkh:eip155:${deps.chain.id}:${each}`,
    `did:ethr:0x${deps.chain.id.toString(16)}:${each.toLowerCase()}`,
    `did:ethr:${each}`,
  ]);
  const byKey = createIssuer({ alg: "ES256K", privateKey: first });
  for (const issuer of [own, byKey, ...dids.map((did) => createIssuer({ did }))]) {
    const trusted = { did: issuer.did, credentialTypes: ["EmissionReductionCredential"] };
    requireStatus(await admin("POST", "/issuers", trusted), 201);
    const sent = await evaluator("POST", path, {
      verifiableCredential: await signed(campaignId, dataRoomHash, issuer),
    });
    assert.equal(sent.status, 400, issuer.did);
    assert.ok(rulesOf(sent).includes("verifier-independent"), issuer.did);
  }
  const party = `/implementers/${encodeURIComponent(own.did)}/account`;
  requireStatus(await scene.regulator("POST", party, { account: accountOfKey(second) }), 200);
  await world.anvil.rpc("evm_increaseTime", [86_400]);
  await world.anvil.rpc("evm_mine");
  requireStatus(await scene.regulator("POST", `${party}/finalise`), 200);
  const byNewKey = createIssuer({ alg: "ES256K", privateKey: second });
  const trusted = { did: byNewKey.did, credentialTypes: ["EmissionReductionCredential"] };
  requireStatus(await admin("POST", "/issuers", trusted), 201);
  for (const issuer of [own, byKey, byNewKey]) {
    await storeVerification(campaignId, issuer);
    const refused = await certificateAnswer(campaignId);
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["verifier-independent"]]);
  }
});

test("a claim that is revoked after the signature makes it the signature of another data room", async () => {
  const { campaignId } = await scene.closedCampaign();
  const verifiableCredential = await signed(campaignId, await hashOfRoom(campaignId));
  requireStatus(await evaluator("POST", `/campaigns/${campaignId}/verifications`, { verifiableCredential }), 201);
  const claims = requireStatus(await evaluator("GET", `/campaigns/${campaignId}/claims`), 200).body;
  const [{ id }] = (claims as { items: [{ id: string }] }).items;
  requireStatus(await evaluator("POST", `/claims/${encodeURIComponent(id)}/revoke`, { reason: "wrong scale" }), 200);
  const refused = await certificateAnswer(campaignId);
  assert.deepEqual([refused.status, rulesOf(refused).sort()], [400, ["claims-stand", "data-room-current"]]);
});

test("makes no certificate by the signature of a verifier who is not trusted any more", async () => {
  const { campaignId } = await scene.closedCampaign();
  const former = createIssuer();
  const trusted = { did: former.did, credentialTypes: ["EmissionReductionCredential"] };
  requireStatus(await scene.registry.admin("POST", "/issuers", trusted), 201);
  const verifiableCredential = await signed(campaignId, await hashOfRoom(campaignId), former);
  requireStatus(await evaluator("POST", `/campaigns/${campaignId}/verifications`, { verifiableCredential }), 201);
  requireStatus(await scene.regulator("DELETE", `/issuers/${encodeURIComponent(former.did)}`), 200);
  const refused = await certificateAnswer(campaignId);
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["issuer-trusted"]]);
});

test("a finding that is opened while a certificate is being made prevents it, or is refused", async (t) => {
  const { campaignId } = await scene.verifiedCampaign();
  const path = `/campaigns/${campaignId}/findings`;
  const { credentials, db } = scene.registry.deps;
  const issue = credentials.issue.bind(credentials);
  const issuing = t.mock.method(credentials, "issue", async (...args: Parameters<typeof issue>) => {
    requireStatus(await evaluator("POST", path, car), 201);
    return issue(...args);
  });
  const refused = await certificateAnswer(campaignId);
  issuing.mock.restore();
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["findings-closed"]]);

  const next = await scene.verifiedCampaign();
  const { campaign } = (await scene.registry.deps.campaigns.byId(next.campaignId)) ?? assert.fail();
  const wanted = { campaign, certificateId: `CERT-${next.campaignId}`, at: new Date() };
  assert.equal(await reserveResult(db, wanted, await reservedCampaigns(db)), wanted.certificateId);
  const late = await evaluator("POST", `/campaigns/${next.campaignId}/findings`, car);
  assert.deepEqual([late.status, rulesOf(late)], [409, ["campaign-not-certified"]]);
  requireStatus(await certificateAnswer(next.campaignId), 201);
});

test("the data room of a certificate keeps the hash that was signed when a calibration is recorded later", async () => {
  const { campaignId, planId } = await scene.closedCampaign();
  const calibration = {
    planId,
    calibratedOn: "2024-01-10",
    validUntil: "2025-01-09",
    certificate: "https://lab.example/7",
  };
  requireStatus(await scene.implementer("POST", "/scales", { ...calibration, serial: "SCALE-1" }), 201);
  const signedHash = await hashOfRoom(campaignId);
  const verifiableCredential = await signed(campaignId, signedHash);
  requireStatus(await evaluator("POST", `/campaigns/${campaignId}/verifications`, { verifiableCredential }), 201);
  requireStatus(await certificateAnswer(campaignId), 201);
  requireStatus(await scene.implementer("POST", "/scales", { ...calibration, serial: "SCALE-2" }), 201);
  assert.equal(await hashOfRoom(campaignId), signedHash);
});

test("accepts fifty answers of a finding", async () => {
  const { campaignId } = await scene.closedCampaign();
  const path = `/campaigns/${campaignId}/findings`;
  requireStatus(await evaluator("POST", path, car), 201);
  for (let i = 0; i < 50; i++) {
    requireStatus(await scene.implementer("POST", `${path}/1/answers`, { text: `answer ${i}` }), 201);
  }
  const more = await scene.implementer("POST", `${path}/1/answers`, { text: "one more" });
  assert.deepEqual([more.status, rulesOf(more)], [409, ["answers-at-most"]]);
  requireStatus(await evaluator("POST", `${path}/1/closure`, { text: "Enough." }), 201);
});

test("keeps every act in a chain of hashes to which rows are only added", async () => {
  const { campaignId } = await scene.closedCampaign();
  const path = `/campaigns/${campaignId}/findings`;
  await Promise.all([1, 2, 3, 4].map(() => evaluator("POST", path, car)));
  const { log, items } = await verificationOf(campaignId);
  assert.deepEqual(
    items.map(({ number }) => number),
    [1, 2, 3, 4],
  );
  for (const [i, { hash, ...act }] of log.entries()) {
    assert.equal(act.previousHash, log[i - 1]?.hash ?? null);
    assert.equal(hash, `0x${createHash("sha256").update(canonicalJson(act)).digest("hex")}`);
  }
  const { db } = scene.registry.deps;
  for (const statement of [
    sql`update campaign_verification_acts set role = 'x'`,
    sql`delete from campaign_verification_acts`,
  ]) {
    await assert.rejects(db.execute(statement), (error: Error) => /only ever added/.test(String(error.cause)));
  }
});

test("places an act ahead of the chain, even when blocks come while it is stored", async () => {
  const { deps } = scene.registry;
  const numbers = [5n, 9n];
  const chain = {
    latest: async () => ({ ...(await deps.chain.latest()), number: numbers.shift() ?? 9n }),
  };
  const act = await addAct({ db: deps.db, chain }, {}, 4_000_000, () => ({
    finding: 1,
    content: { act: "opened", kind: "CAR", text: car.text, reference: car.reference },
    role: "evaluator",
    caller: "verifier-of-this-test",
    at: new Date(),
  }));
  assert.equal(act.block, 11n);
  assert.deepEqual(await actsOf(deps.db, [4_000_000]), [act]);
});

test("lets only evaluators open and close, and only the campaign's implementer answer", async () => {
  const { campaignId } = await scene.closedCampaign();
  const path = `/campaigns/${campaignId}/findings`;
  requireStatus(await evaluator("POST", path, car), 201);
  const other = await scene.registry.as("implementer", { implementerDid: otherImplementerDid });
  const text = { text: "x" };
  assert.equal((await scene.implementer("POST", path, car)).status, 403);
  assert.equal((await scene.regulator("POST", path, car)).status, 403);
  assert.equal((await evaluator("POST", `${path}/1/answers`, text)).status, 403);
  assert.equal((await scene.implementer("POST", `${path}/1/closure`, text)).status, 403);
  assert.deepEqual(
    [(await other("GET", path)).status, (await other("POST", `${path}/1/answers`, text)).status],
    [404, 404],
  );
  assert.equal((await scene.implementer("POST", `${path}/9/answers`, text)).status, 404);
  const empty = await evaluator("POST", path, { kind: "NCR", text: "" });
  assert.equal(empty.status, 400);
});

test("lets only the verifier who opened a finding close it, by a key with the same DID too, or the regulator with a reason", async () => {
  const { campaignId } = await scene.closedCampaign();
  const path = `/campaigns/${campaignId}/findings`;
  const verifierOf = (did: string) => scene.registry.as("evaluator", { dids: [did] });
  const [first, colleague, other] = [
    await verifierOf("did:web:verifier.example"),
    await verifierOf("did:web:verifier.example"),
    await verifierOf("did:web:other.example"),
  ];
  for (const [number, opener] of [first, evaluator, first].entries()) {
    const { opened } = requireStatus(await opener("POST", path, car), 201).body as FindingResponse;
    assert.deepEqual(opened.verifier, opener === first ? ["did:web:verifier.example"] : undefined);
    requireStatus(await scene.implementer("POST", `${path}/${number + 1}/answers`, { text: "Attached." }), 201);
  }
  const close = (call: Caller, number: number, text = "Resolved.") =>
    call("POST", `${path}/${number}/closure`, { text });
  for (const [call, number] of [
    [evaluator, 1],
    [other, 1],
    [first, 2],
    [other, 2],
  ] as const) {
    const refused = await close(call, number);
    assert.deepEqual([refused.status, rulesOf(refused)], [403, ["own-finding"]]);
  }
  assert.equal((await verificationOf(campaignId)).openFindings, 3);
  requireStatus(await close(colleague, 1), 201);
  requireStatus(await close(evaluator, 2), 201);
  assert.equal((await close(scene.regulator, 3, "")).status, 400);
  const reason = "The verifier has lost its accreditation; we saw the calibration ourselves.";
  const { closed } = requireStatus(await close(scene.regulator, 3, reason), 201).body as FindingResponse;
  assert.partialDeepStrictEqual(closed, { text: reason, role: "regulator" });
});

test("adds each act of a verification once also when a kill came before the response", async () => {
  const { campaignId } = await scene.closedCampaign();
  const path = `/campaigns/${campaignId}/findings`;
  const send = (by: Caller, to: string, body: object) =>
    sendInterrupted(scene.registry, (headers) => by("POST", to, body, headers), 201);
  await send(evaluator, path, car);
  await send(scene.implementer, `${path}/1/answers`, { text: "The certificate is attached." });
  await send(evaluator, `${path}/1/closure`, { text: "Resolved." });
  const verifiableCredential = await signed(campaignId, await hashOfRoom(campaignId));
  await send(evaluator, `/campaigns/${campaignId}/verifications`, { verifiableCredential });
  const { items, verifications, log } = await verificationOf(campaignId);
  assert.deepEqual([items.length, items[0]?.answers.length, verifications.length, log.length], [1, 1, 1, 4]);
});

test("runs a request with an idempotency key once", async () => {
  const { campaignId } = await scene.closedCampaign();
  const retried = { "Idempotency-Key": `finding-${campaignId}` };
  const path = `/campaigns/${campaignId}/findings`;
  const answers = [await evaluator("POST", path, car, retried), await evaluator("POST", path, car, retried)];
  assert.deepEqual(
    answers.map(({ status, body }) => [status, (body as FindingResponse).number]),
    [
      [201, 1],
      [201, 1],
    ],
  );
  assert.equal((await verificationOf(campaignId)).items.length, 1);
});

test("subscribers receive each finding and signature once, in order, by stream and webhook, without its text", async () => {
  const { campaignId, implementerDid } = await scene.closedCampaign();
  const { deps, world } = scene.registry;
  const actorOf = (given: Partial<Actor>): Actor => ({
    keyId: "verifier-events",
    role: "evaluator",
    scopes: ["events:read", "webhooks:write"],
    dids: null,
    ...given,
  });
  const aborter = new AbortController();
  const follow = async (actor: Actor, lastEventId?: string) => {
    const taken: { position: string; message: EventMessage }[] = [];
    const events = await openEventStream(deps, { actor }, { signal: aborter.signal, lastEventId });
    void (async () => {
      for await (const event of events) {
        if (/^(finding|data_room)/.test(event.message.type)) taken.push(event);
      }
    })();
    return taken;
  };
  const until = async (taken: readonly unknown[], count: number) => {
    while (taken.length < count) {
      await world.anvil.rpc("anvil_mine", ["0x1"]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const all = await follow(actorOf({}));
  const own = await follow(actorOf({ role: "implementer", implementerDid: implementerDid ?? "" }));
  const other = await follow(actorOf({ role: "implementer", implementerDid: otherImplementerDid }));
  const events = ["finding.opened", "finding.closed", "data_room.signed"] as const;
  const hook = { url: "https://hooks.invalid/hearth", events: [...events] };
  const { id } = await createWebhook(deps, { actor: actorOf({}) }, hook);

  const path = `/campaigns/${campaignId}/findings`;
  requireStatus(await evaluator("POST", path, car), 201);
  requireStatus(await scene.implementer("POST", `${path}/1/answers`, { text: "Attached." }), 201);
  requireStatus(await evaluator("POST", `${path}/1/closure`, { text: "Resolved." }), 201);
  const dataRoomHash = await hashOfRoom(campaignId);
  const verifiableCredential = await signed(campaignId, dataRoomHash);
  requireStatus(await evaluator("POST", `/campaigns/${campaignId}/verifications`, { verifiableCredential }), 201);
  await until(all, 4);
  await until(own, 4);
  const messages = all.map(({ message }) => message);
  assert.deepEqual(
    messages.map(({ type, data }) => [type, data.campaignId, data.number ?? data.dataRoomHash]),
    [
      ["finding.opened", campaignId, 1],
      ["finding.answered", campaignId, 1],
      ["finding.closed", campaignId, 1],
      ["data_room.signed", campaignId, dataRoomHash],
    ],
  );
  assert.deepEqual([messages[0]?.data.kind, messages[3]?.data.issuerDid], ["CAR", verifier.did]);
  assert.deepEqual([messages[0]?.transactionHash, JSON.stringify(messages).includes(car.text)], [null, false]);
  assert.equal(new Set(messages.map((each) => each.id)).size, 4);
  assert.deepEqual(own, all);
  assert.deepEqual(other, []);
  const rest = await follow(actorOf({}), all[1]?.position);
  await until(rest, 2);
  assert.deepEqual(rest, all.slice(2));

  const deliveries = async () => (await listDeliveries(deps, { actor: actorOf({}) }, id, { limit: 10 })).items;
  let delivered = await deliveries();
  while (delivered.length < 3) {
    await world.anvil.rpc("anvil_mine", ["0x1"]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    delivered = await deliveries();
  }
  assert.deepEqual(delivered.map(({ type }) => type).toReversed(), [...events]);
  assert.deepEqual(delivered.map(({ eventId }) => eventId).toReversed(), [
    messages[0]?.id,
    messages[2]?.id,
    messages[3]?.id,
  ]);
  aborter.abort();
});
