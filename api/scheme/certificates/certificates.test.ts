import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { zeroHash } from "viem";
import { createIssuer, type TestIssuer } from "../../../test/support/credentials.ts";
import {
  type Answer,
  accountOf,
  type Caller,
  type Example,
  exampleCertificate,
  openRegistryTest,
  type RegistryTest,
  registerBasics,
  requireStatus,
  rulesOf,
  withCredential,
} from "../../../test/support/registry.ts";
import { submitCall } from "../../platform/chain/index.ts";
import { allocationRoot } from "./allocation-tree.ts";

let registry: RegistryTest;
let regulator: Caller;
let verifier: TestIssuer;
before(async () => {
  registry = await openRegistryTest();
  regulator = await registry.as("regulator");
  verifier = await registerBasics(registry);
});
after(() => registry?.close());

async function registerHouseholds(...dids: string[]): Promise<void> {
  const csv = { "content-type": "text/csv" };
  await settled(await registry.admin("POST", "/households/import", ["did", ...dids].join("\n"), csv));
}

async function settled(answer: Answer): Promise<{ status: string; url: string; error?: unknown; result?: unknown }> {
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const { url } = answer.body as { url: string };
  for (let i = 0; i < 2_400; i++) {
    const operation = (await registry.admin("GET", url.replace("/v1", ""))).body as { status: string };
    if (operation.status !== "queued" && operation.status !== "running") return { ...operation, url };
    await sleep(50);
  }
  throw new Error("The operation did not end.");
}

const register = (body: unknown, headers?: Record<string, string>) => regulator("POST", "/certificates", body, headers);

test("registers the published certificate for one household", async () => {
  const body = exampleCertificate({ certificateId: "CERT-456" });
  const made = await register(await withCredential(verifier, body));
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.partialDeepStrictEqual(made.body, {
    certificateId: "CERT-456",
    status: "valid",
    implementerDid: body.implementerDid,
    planId: "default",
    verifiedReduction: 100,
    issued: 0,
    remaining: 100,
    allocation: null,
    credential: { issuer: verifier.did },
  });
  assert.partialDeepStrictEqual(await regulator("GET", "/certificates/CERT-456"), { status: 200, body: { index: 1 } });
});

test("registers a certificate with its allocation and proves every leaf", async () => {
  await registerHouseholds("did:ixo:c/3", "did:ixo:c/1", "did:ixo:c/2");
  const allocations = [
    { householdDid: "did:ixo:c/1", amount: 0.1 },
    { householdDid: "did:ixo:c/2", amount: 0.2 },
    { householdDid: "did:ixo:c/3", amount: 99.7 },
  ];
  const made = await register(await withCredential(verifier, exampleCertificate({ allocations })));
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { index, allocation } = made.body as { index: number; allocation: { root: string; count: number } };
  const { certificates } = registry.deps;
  const { households } = registry.deps.registry;
  const leaves = await certificates.leavesOf(index);
  assert.equal(allocation.root, allocationRoot(leaves));
  const household = (await households.byDid("did:ixo:c/2"))?.household ?? 0;
  const leaf = await certificates.leafOf(index, household);
  assert.partialDeepStrictEqual(leaf, { household, amount: 200_000n });
  assert.equal(leaf?.proof.length, 2);
  assert.equal(await certificates.leafOf(index, 9_999), null);
});

test("counts a household's period once, also where no campaign measured it: 400", async () => {
  await registerHouseholds("did:ixo:once/1", "did:ixo:once/2");
  const allocations = [
    { householdDid: "did:ixo:once/1", amount: 40 },
    { householdDid: "did:ixo:once/2", amount: 60 },
  ];
  const half = { startDate: "2024-01-01", endDate: "2024-06-30" };
  const first = exampleCertificate({ allocations, period: half });
  assert.equal((await register(await withCredential(verifier, first))).status, 201);
  const shared = [{ householdDid: "did:ixo:once/2", amount: 100 }];
  const period = { startDate: "2024-06-30", endDate: "2024-12-31" };
  const again = exampleCertificate({ allocations: shared, period });
  const refused = await register(await withCredential(verifier, again));
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["household-period-certified-once"]]);
  assert.match(JSON.stringify(refused.body), new RegExp(first.certificateId));
  // The rest of the year is another period.
  const rest = { startDate: "2024-07-01", endDate: "2024-12-31" };
  const later = exampleCertificate({ allocations: shared, period: rest });
  assert.equal((await register(await withCredential(verifier, later))).status, 201);
});

test("ties the period to the vintage and to the credential's own period: 400", async () => {
  const year = (number: number) => ({ startDate: `${number}-01-01`, endDate: `${number}-12-31` });
  const outcome = async (period: { startDate: string; endDate: string }, subject: Record<string, unknown> = {}) => {
    const answer = await register(await withCredential(verifier, exampleCertificate({ period }), { subject }));
    return [answer.status, rulesOf(answer)];
  };
  assert.deepEqual(await outcome(year(1999)), [400, ["vintage-in-period"]]);
  assert.deepEqual(await outcome(year(2025)), [400, ["vintage-in-period"]]);
  assert.deepEqual(await outcome({ startDate: "2023-07-01", endDate: "2024-06-30" }), [201, []]);
  const half = { startDate: "2024-01-01", endDate: "2024-06-30" };
  for (const period of [half, "2024", null]) {
    assert.deepEqual(await outcome(year(2024), { period }), [400, ["subject-matches-certificate"]]);
  }
  assert.deepEqual(await outcome(half, { period: half }), [201, []]);
});

test("names every rule that a certificate breaks, and registers nothing", async () => {
  await registerHouseholds("did:ixo:d/1");
  const stranger = createIssuer();
  const body = exampleCertificate({
    implementerDid: "did:ixo:implementer/none",
    planId: "PLAN-NONE",
    period: { startDate: "2024-02-01", endDate: "2024-01-01" },
    allocations: [
      { householdDid: "did:ixo:d/1", amount: 50 },
      { householdDid: "did:ixo:d/1", amount: 50 },
      { householdDid: "did:ixo:d/none", amount: 1 },
    ],
  });
  body.underlyingUnits.lastSerial = body.underlyingUnits.firstSerial - 1;
  const refused = await register(
    await withCredential(stranger, body, { subject: { vintage: 2023, verifiedReduction: 1 } }),
  );
  assert.equal(refused.status, 400);
  assert.deepEqual(rulesOf(refused), [
    "allocation-sum",
    "allocation-unique",
    "dates-ordered",
    "implementer-registered",
    "issuer-trusted",
    "plan-registered",
    "recipient-registered",
    "serials-ordered",
    "subject-matches-certificate",
    "subject-matches-certificate",
  ]);
  assert.equal((await regulator("GET", `/certificates/${body.certificateId}`)).status, 404);
});

test("asks for a unit of a recorded registry for each whole tonne of the reduction", async () => {
  const sent = async (verifiedReduction: number, units: Partial<Example["underlyingUnits"]> = {}) => {
    const body = exampleCertificate({ verifiedReduction });
    const { firstSerial } = body.underlyingUnits;
    const underlyingUnits = { ...body.underlyingUnits, lastSerial: firstSerial + 1, ...units };
    return register(await withCredential(verifier, { ...body, underlyingUnits }));
  };
  const few = await sent(3_000);
  assert.deepEqual([few.status, rulesOf(few)], [400, ["units-cover-reduction"]]);
  assert.match(JSON.stringify(few.body), /are 2 units of a tonne each, and the reduction has 3 whole tonnes/);
  // A registry issues no unit for a part of a tonne.
  const covered = requireStatus(await sent(2_999.999999), 201).body as { unitsCoverReduction: boolean | null };
  assert.equal(covered.unitsCoverReduction, true);
  const unknown = await sent(3_000, { registry: "Units of any size", firstSerial: 1, lastSerial: 2 });
  assert.equal((requireStatus(unknown, 201).body as { unitsCoverReduction: boolean | null }).unitsCoverReduction, null);
});

test("refuses a credential that does not verify and still says what else is wrong with it", async () => {
  const good = await withCredential(verifier, exampleCertificate(), { subject: { vintage: 1999 } });
  const [header, payload] = good.verifiableCredential.proof.split(".");
  const forged = {
    ...good,
    verifiableCredential: { ...good.verifiableCredential, proof: `${header}.${payload}.AAAA` },
  };
  assert.deepEqual(rulesOf(await register(forged)), ["proof-verifies", "subject-matches-certificate"]);
  const wrongType = await withCredential(verifier, exampleCertificate(), { type: ["VerifiableCredential", "Other"] });
  assert.deepEqual(rulesOf(await register(wrongType)), ["credential-type"]);
});

test("trusts a verifier for what it issued while it was trusted, and only as long as it is", async () => {
  const day = 24 * 3_600_000;
  const yesterday = new Date(Date.now() - day);
  const credentialTypes = ["EmissionReductionCredential"];
  const issued = async (issuer: ReturnType<typeof createIssuer>, issuedAt: Date) =>
    register(await withCredential(issuer, exampleCertificate(), { issuedAt }));

  const former = createIssuer();
  await regulator("POST", "/issuers", { did: former.did, credentialTypes, validUntil: yesterday.toISOString() });
  assert.deepEqual(rulesOf(await issued(former, new Date(yesterday.getTime() - day))), ["issuer-trusted"]);

  const present = createIssuer();
  await regulator("POST", "/issuers", { did: present.did, credentialTypes, validFrom: yesterday.toISOString() });
  assert.deepEqual(rulesOf(await issued(present, new Date(yesterday.getTime() - 3_600_000))), ["issuer-trusted"]);
  assert.equal((await issued(present, new Date(yesterday.getTime() + 3_600_000))).status, 201);
});

test("treats spellings of a registry's name as one registry, and names the recorded one: 400", async () => {
  const first = exampleCertificate();
  const units = (registry: string) => ({ underlyingUnits: { ...first.underlyingUnits, registry } });
  const send = async (registry: string) =>
    register(await withCredential(verifier, exampleCertificate(units(registry))));
  assert.equal((await send("Spelled-Registry")).status, 201);
  for (const registry of ["spelled registry", "SPELLED-REGISTRY", "Spelled_Registry."]) {
    const refused = await send(registry);
    assert.deepEqual(rulesOf(refused).sort(), ["registry-spelling", "serials-disjoint"], registry);
    assert.match(JSON.stringify(refused.body), /on record as Spelled-Registry/);
  }
  const lookalike = await send("Sp\u0435lled-Registry");
  assert.deepEqual([lookalike.status, rulesOf(lookalike)], [400, ["registry-name"]]);
});

test("names registries as on the regulator's record, and none whose record has ended: 400", async () => {
  const parameter = (input: object) =>
    regulator("POST", "/parameters", { source: "Letter 12", validFrom: "2026-01-01", ...input });
  const send = async (name: string) => {
    const example = exampleCertificate();
    const body = { ...example, underlyingUnits: { ...example.underlyingUnits, registry: name } };
    return register(await withCredential(verifier, body));
  };
  for (const name of ["gold standard", "GoldStandard", "Gold-Standard"]) {
    const refused = await send(name);
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["registry-spelling"]], name);
    assert.match(JSON.stringify(refused.body), /on record as Gold Standard: use that/);
  }
  assert.equal((await send("Gold Standard")).status, 201);

  assert.equal((await parameter({ kind: "registry", key: "Closing Registry" })).status, 201);
  assert.equal((await send("Closing Registry")).status, 201);
  const respelled = { kind: "registry", key: "closing-registry" };
  assert.deepEqual(rulesOf(await parameter(respelled)), ["registry-spelling"]);
  assert.equal((await send("Named By A Certificate")).status, 201);
  const named = { kind: "registry", key: "Named by a certificate" };
  assert.deepEqual(rulesOf(await parameter(named)), ["registry-spelling"]);
  const phase = { kind: "corsia", key: "first-phase/closing-registry" };
  assert.deepEqual(rulesOf(await parameter(phase)), ["registry-spelling"]);
  assert.equal((await parameter({ kind: "registry", key: "Closing Registry", validTo: "2026-01-31" })).status, 201);
  assert.deepEqual(rulesOf(await send("Closing Registry")), ["registry-in-force"]);
});

test("keeps one spelling of a registry, however a registrar's own account recorded it", async () => {
  const { chain } = registry.deps;
  const record = (key: string, validTo = 0) => {
    const given = {
      kind: "registry",
      key,
      value: 0n,
      decimals: 0,
      unit: "",
      source: "Letter 13",
      sourceHash: zeroHash,
    };
    const args = [{ ...given, validFrom: 20_000, validTo }] as const;
    const call = { sender: "registrar", contract: "parameters", functionName: "set", args, purpose: "test" } as const;
    return submitCall({ chain }, {}, call);
  };
  const send = async (name: string) => {
    const example = exampleCertificate();
    const body = { ...example, underlyingUnits: { ...example.underlyingUnits, registry: name } };
    return register(await withCredential(verifier, body));
  };
  const set = (key: string) =>
    regulator("POST", "/parameters", { kind: "registry", key, source: "Letter 14", validFrom: "2026-01-01" });

  assert.equal((await send("Certified First")).status, 201);
  await record("certified-first");
  assert.equal((await send("Certified First")).status, 201);
  assert.deepEqual(rulesOf(await send("certified-first")), ["registry-spelling"]);
  const phase = (name: string) =>
    regulator("POST", "/parameters", {
      kind: "corsia",
      key: `pilot-phase/${name}`,
      source: "Letter 15",
      validFrom: "2026-01-01",
    });
  assert.deepEqual(rulesOf(await phase("certified-first")), ["registry-spelling"]);
  assert.equal((await phase("Certified First")).status, 201);
  assert.deepEqual(rulesOf(await set("certified-first")), ["registry-spelling"]);
  assert.equal((await set("Certified First")).status, 201);

  await record("certified.first", 20_001);
  assert.deepEqual(rulesOf(await send("Certified First")), ["registry-in-force"]);

  await record("\u212aelvin Registry");
  await record("Kelvin R\u00e9gistry");
  assert.equal((await send("Kelvin Registry")).status, 201);
});

test("treats a registry's aliases as its name, published ones and those that the regulator records: 400", async () => {
  const first = exampleCertificate({ underlyingUnits: { registry: "Clean Units", firstSerial: 1, lastSerial: 100 } });
  assert.equal((await register(await withCredential(verifier, first))).status, 201);
  const send = async (name: string, firstSerial = 1) => {
    const underlyingUnits = { registry: name, firstSerial, lastSerial: firstSerial + 99 };
    return register(await withCredential(verifier, exampleCertificate({ underlyingUnits })));
  };
  for (const name of ["GS", "gs", "The Gold Standard", "Gold Standard Registry"]) {
    const refused = await send(name, 5_000_000);
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["registry-spelling"]], name);
    assert.match(JSON.stringify(refused.body), /is another name of Gold Standard: use that/);
  }
  const parameter = (input: object) =>
    regulator("POST", "/parameters", { source: "https://units.example", validFrom: "2026-01-01", ...input });
  const record = { kind: "registry", key: "Clean Units Registry", registryId: "clean-units" };
  const made = requireStatus(await parameter(record), 201).body;
  const shown = { registryId: "clean-units", name: "Clean Units Registry", url: "https://units.example", aliases: [] };
  assert.partialDeepStrictEqual(made, { registry: shown, unit: "clean-units" });
  const again = { ...record, key: "Cleaner Units" };
  assert.deepEqual(rulesOf(await parameter(again)), ["registry-id-unique"]);

  const alias = { kind: "registry-alias", key: "Clean Units", registryId: "clean-units" };
  assert.deepEqual(rulesOf(await parameter({ ...alias, registryId: "nobody" })), ["registry-recorded"]);
  assert.deepEqual(rulesOf(await parameter({ ...alias, registryId: undefined })), ["required"]);
  assert.deepEqual(rulesOf(await parameter({ ...alias, key: "gold standard" })), ["alias-not-recorded"]);
  const named = requireStatus(await parameter(alias), 201).body;
  assert.partialDeepStrictEqual(named, { registry: { ...shown, aliases: ["Clean Units"] } });
  assert.deepEqual(rulesOf(await parameter({ ...record, key: "Clean-Units" })), ["registry-spelling"]);
  assert.deepEqual(rulesOf(await send("clean units", 200)), ["registry-spelling"]);
  // A certificate that named it by the alias before has its serials.
  const overlapping = await send("Clean Units Registry");
  assert.deepEqual([overlapping.status, rulesOf(overlapping)], [409, ["serials-disjoint"]]);
  assert.match(JSON.stringify(overlapping.body), new RegExp(first.certificateId));
  assert.equal((await send("Clean Units Registry", 200)).status, 201);
});

test("needs a recorded registry once the regulator has closed the list: 400", async () => {
  const list = (choice: string) =>
    regulator("POST", "/parameters", {
      kind: "registry-list",
      key: "certificates",
      choice,
      source: "Decision 7",
      validFrom: "2026-01-01",
    });
  const send = async (name: string) => {
    const example = exampleCertificate();
    const body = { ...example, underlyingUnits: { ...example.underlyingUnits, registry: name } };
    return register(await withCredential(verifier, body));
  };
  assert.equal((await send("Unlisted Registry")).status, 201);
  assert.equal((await list("closed")).status, 201);
  const refused = await send("Unlisted Registry");
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["registry-recorded"]]);
  assert.match(JSON.stringify(refused.body), /not on the regulator's record of registries: Gold Standard, Verra/);
  assert.equal((await send("Verra")).status, 201);
  assert.equal((await list("open")).status, 201);
  assert.equal((await send("Unlisted Registry")).status, 201);
});

test("refuses serials that overlap, an id that is taken and a credential that was used: 409", async () => {
  const first = exampleCertificate();
  const { firstSerial, lastSerial } = first.underlyingUnits;
  const made = await withCredential(verifier, first);
  assert.equal((await register(made)).status, 201);
  const ranges = [
    [firstSerial, lastSerial],
    [firstSerial - 5, firstSerial],
    [lastSerial, lastSerial + 5],
    [firstSerial + 1, lastSerial - 1],
    [firstSerial - 5, lastSerial + 5],
  ] as const;
  for (const [from, to] of ranges) {
    const other = exampleCertificate({
      underlyingUnits: { ...first.underlyingUnits, firstSerial: from, lastSerial: to },
    });
    const refused = await register(await withCredential(verifier, other));
    assert.deepEqual([refused.status, rulesOf(refused)], [409, ["serials-disjoint"]]);
  }
  const elsewhere = { ...first.underlyingUnits, registry: "Verra" };
  const same = await withCredential(verifier, { ...first, underlyingUnits: elsewhere });
  assert.deepEqual(rulesOf(await register(same)), ["not-registered-before"]);
  const again = await register(made);
  assert.deepEqual([again.status, rulesOf(again)], [409, ["not-registered-before", "serials-disjoint"]]);
  const reused = { ...exampleCertificate(), verifiableCredential: made.verifiableCredential };
  assert.ok(rulesOf(await register(reused)).includes("credential-unused"));
  const free = await withCredential(verifier, exampleCertificate({ underlyingUnits: elsewhere }));
  assert.equal((await register(free)).status, 201);
});

test("uses the implementer's only plan, the default plan among several, and no plan of another implementer", async () => {
  const did = "did:ixo:implementer/planned";
  await regulator("POST", "/implementers", { did, account: accountOf(300), name: "Planned" });
  const period = { startDate: "2024-01-01", endDate: "2025-12-31" };
  await regulator("POST", "/monitoring-plans", { planId: "P-1", implementerDid: did, period });
  const planOf = async (changes: object) => {
    const answer = await register(
      await withCredential(verifier, exampleCertificate({ implementerDid: did, ...changes })),
    );
    return (answer.body as { planId?: string }).planId ?? rulesOf(answer).join();
  };
  assert.equal(await planOf({}), "P-1");
  await regulator("POST", "/monitoring-plans", { planId: "P-2", implementerDid: did, period });
  assert.equal(await planOf({}), "default");
  assert.equal(await planOf({ planId: "P-2" }), "P-2");
  assert.equal(await planOf({ planId: "P-2", implementerDid: "did:ixo:implementer/1" }), "plan-of-implementer");
});

test("suspends, reinstates and revokes; a revoked certificate stays so", async () => {
  const body = exampleCertificate();
  await register(await withCredential(verifier, body));
  const path = `/certificates/${body.certificateId}`;
  const change = (status: string) => regulator("PATCH", path, { status, reason: "Review" });
  for (const status of ["suspended", "valid", "revoked"]) {
    assert.partialDeepStrictEqual(await change(status), { status: 200, body: { status } });
  }
  assert.equal((await change("valid")).status, 409);
  assert.equal((await change("revoked")).status, 409);
  assert.equal((await regulator("PATCH", "/certificates/NONE", { status: "valid", reason: "x" })).status, 404);
});

test("lets only the regulator register and change certificates", async () => {
  const implementer = await registry.as("implementer", { implementerDid: "did:ixo:implementer/1" });
  const body = await withCredential(verifier, exampleCertificate());
  assert.equal((await implementer("POST", "/certificates", body)).status, 403);
  assert.equal((await implementer("PATCH", "/certificates/CERT-456", { status: "revoked", reason: "x" })).status, 403);
  assert.equal((await implementer("GET", "/certificates/CERT-456")).status, 200);
});

test("lets an implementer's integrator suspend its certificate, and only the regulator reinstate it", async () => {
  const dids = ["did:ixo:implementer/1"];
  const integrator = await registry.as("integrator", { scopes: ["certificates:write"], dids });
  const body = exampleCertificate();
  await register(await withCredential(verifier, body));
  const path = `/certificates/${body.certificateId}`;
  assert.equal((await integrator("PATCH", path, { status: "suspended", reason: "Review" })).status, 200);
  const refused = await integrator("PATCH", path, { status: "valid", reason: "All is well" });
  assert.deepEqual([refused.status, rulesOf(refused)], [403, ["role"]]);
  assert.partialDeepStrictEqual(await regulator("GET", path), { body: { status: "suspended" } });
  assert.equal((await regulator("PATCH", path, { status: "valid", reason: "Reviewed" })).status, 200);
});

test("accepts serials as numbers or text up to 2^63 and refuses malformed bodies", async () => {
  const big = { registry: "Big", firstSerial: "9223372036854775000", lastSerial: "9223372036854775808" };
  const body = exampleCertificate({ underlyingUnits: big as never });
  const made = await register(await withCredential(verifier, body));
  assert.partialDeepStrictEqual(made, { status: 201, body: { underlyingUnits: big } });
  const shapeless = await register({ certificateId: "", verifiedReduction: "100", allocations: [], extra: 1 });
  assert.equal(shapeless.status, 400);
  assert.ok(rulesOf(shapeless).includes("unknown-field"));
});

test("an implementer sees the households of its certificates only", async () => {
  await registerHouseholds("did:ixo:seen/1");
  const implementer = await registry.as("implementer", { implementerDid: "did:ixo:implementer/1" });
  const path = `/households/${encodeURIComponent("did:ixo:seen/1")}`;
  assert.equal((await implementer("GET", path)).status, 404);
  const allocations = [{ householdDid: "did:ixo:seen/1", amount: 100 }];
  await register(await withCredential(verifier, exampleCertificate({ allocations })));
  assert.equal((await implementer("GET", path)).status, 200);
});

test("lets the implementer add the whole allocation of its certificate, once", async () => {
  const dids = ["did:ixo:own/1", "did:ixo:own/2"];
  await registerHouseholds(...dids);
  const implementer = await registry.as("implementer", { implementerDid: "did:ixo:implementer/1" });
  const other = await registry.as("implementer", { implementerDid: "did:ixo:implementer/other" });
  const body = exampleCertificate({ allocationCount: 2 });
  const made = await register(await withCredential(verifier, body));
  assert.partialDeepStrictEqual(made, {
    status: 201,
    body: { status: "pending", allocation: { count: 2, recorded: 0 } },
  });
  const path = `/certificates/${body.certificateId}/allocations`;
  const allocations = dids.map((householdDid) => ({ householdDid, amount: 50 }));
  assert.equal((await other("POST", path, { allocations })).status, 403);
  const short = await implementer("POST", path, { allocations: allocations.slice(1) });
  assert.deepEqual([short.status, rulesOf(short)], [400, ["allocation-count", "allocation-sum"]]);
  const brought = await implementer("POST", path, { allocations });
  assert.partialDeepStrictEqual(brought, { status: 201, body: { status: "valid", allocation: { recorded: 2 } } });
  assert.equal((await implementer("POST", path, { allocations })).status, 409);
});

test("records a large allocation in several transactions", async () => {
  const dids = Array.from({ length: 9_000 }, (_, i) => `did:ixo:large/${i}`);
  await registerHouseholds(...dids);
  const allocations = dids.map((householdDid) => ({ householdDid, amount: 1 }));
  const body = exampleCertificate({ verifiedReduction: dids.length, allocations });
  const request = await withCredential(verifier, body);
  const headers = { "idempotency-key": "large-certificate" };
  const accepted = await register(request, headers);
  const end = await settled(accepted);
  assert.equal(end.status, "succeeded", JSON.stringify(end));
  assert.deepEqual((await register(request, headers)).body, accepted.body);
  const { body: shown } = await regulator("GET", `/certificates/${body.certificateId}`);
  const { index, allocation } = shown as { index: number; allocation: { root: string } };
  assert.partialDeepStrictEqual(shown, { status: "valid", allocation: { count: 9_000, recorded: 9_000 } });
  assert.equal(allocation.root, allocationRoot(await registry.deps.certificates.leavesOf(index)));
});

// It is the last one, because the chain's time stays ahead.
test("takes the day of the latest block for whether a registry's record is in force", async () => {
  const day = 86_400_000;
  const name = "Two More Days";
  const validTo = new Date(Date.now() + 2 * day).toISOString().slice(0, 10);
  const record = { kind: "registry", key: name, source: "Letter 16", validFrom: "2026-01-01", validTo };
  requireStatus(await regulator("POST", "/parameters", record), 201);
  const send = async () => {
    const example = exampleCertificate();
    const body = { ...example, underlyingUnits: { ...example.underlyingUnits, registry: name } };
    return register(await withCredential(verifier, body));
  };
  assert.equal((await send()).status, 201);

  await registry.world.anvil.rpc("evm_increaseTime", [(3 * day) / 1000]);
  await registry.world.anvil.rpc("evm_mine");
  const late = await send();
  assert.deepEqual([late.status, rulesOf(late)], [400, ["registry-in-force"]]);
});
