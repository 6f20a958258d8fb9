import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import { accountOf, openRegistryTest, type RegistryTest } from "../../../test/support/registry.ts";

type Change = {
  number: number;
  at: string;
  keyId: string;
  keyName: string | null;
  role: string;
  route: string;
  summary: string;
  subject: string;
  status: number;
  result: string;
  requestId: string;
};
type Page = { items: Change[]; nextCursor: string | null };
type Health = {
  ready: boolean;
  checks: Record<string, { ready: boolean }>;
  requests: { total: number; failed: number };
  figures: { name: string; description: string; label: string | null; value: number }[];
};

let api: RegistryTest;
before(async () => {
  api = await openRegistryTest();
});
after(() => api.close());

const changes = async (query = "") => {
  const { status, body } = await api.admin("GET", `/admin/changes${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Page;
};

describe("the audit of changes", () => {
  it("says who changed what, when, and with what result, refused attempts included", async () => {
    const supplier = { did: "did:ixo:supplier/audit", account: accountOf(61), name: "Stove Shop" };
    const made = await api.admin("POST", "/suppliers", supplier);
    assert.equal(made.status, 201);
    const regulator = await api.as("regulator");
    await regulator("PATCH", "/suppliers/did%3Aixo%3Asupplier%2Faudit", { status: "suspended", reason: "Key lost" });
    const refused = await regulator("POST", "/keys", { role: "admin", name: "mine" });
    assert.equal(refused.status, 403);
    const { items } = await changes();
    const told = items.map(({ role, route, subject, result, status }) => [role, route, subject, result, status]);
    assert.deepEqual(told.slice(0, 4), [
      // Refused before its body was read.
      ["regulator", "POST /v1/keys", "", "refused", 403],
      ["regulator", "PATCH /v1/suppliers/{did}", "did:ixo:supplier/audit", "done", 200],
      ["admin", "POST /v1/keys", "regulator", "done", 201],
      ["admin", "POST /v1/suppliers", "did:ixo:supplier/audit, ".concat(`${accountOf(61)}, Stove Shop`), "done", 201],
    ]);
    const [first] = items as [Change];
    assert.deepEqual([first.keyName, first.summary], ["regulator", "Make an API key"]);
    assert.equal(refused.headers.get("x-request-id"), first.requestId);
    assert.ok(Math.abs(Date.parse(first.at) - Date.now()) < 120_000);
  });

  it("holds no reads, no calculations, and nothing that names a household", async () => {
    const before = (await changes()).items.length;
    await api.admin("GET", "/suppliers");
    await api.admin("POST", "/pool/quote", {});
    const did = "did:ixo:household/audit";
    assert.equal((await api.admin("POST", "/households", { did, region: "Lusaka" })).status, 201);
    await api.admin("PATCH", `/households/${encodeURIComponent(did)}`, { account: accountOf(62) });
    const attributes = { batchId: "BATCH-1", issuanceDate: "2026-01-01", expiryDate: "2026-12-31" };
    const voucher = { recipientDid: did, emissionCertificateId: "CERT-NONE", value: 1, attributes };
    await api.admin("POST", "/vouchers/issue", voucher);
    // A body that breaks its schema may hold anything in any field.
    await api.admin("POST", "/suppliers", { did: "a key by mistake" });
    const { items } = await changes();
    assert.deepEqual(
      items.slice(0, items.length - before).map(({ route, subject }) => [route, subject]),
      [
        ["POST /v1/suppliers", ""],
        ["POST /v1/vouchers/issue", "CERT-NONE"],
        ["PATCH /v1/households/{did}", ""],
        ["POST /v1/households", ""],
      ],
    );
  });

  it("holds no secret of a request or its answer", async () => {
    const { body } = await api.admin("POST", "/invitations", { key: { role: "regulator", name: "Visitor" } });
    const { token } = body as { token: string };
    const { rows } = await api.deps.db.execute(sql`select * from audit_entries`);
    assert.ok(!JSON.stringify(rows).includes(token.slice(-43)));
    assert.equal((await changes()).items[0]?.subject, "regulator, Visitor");
  });

  it("can be filtered by actor, role, result, words and time, and read page by page", async () => {
    const { items } = await changes();
    const regulator = items.find(({ role }) => role === "regulator") as Change;
    const found = async (query: string) => (await changes(query)).items.map(({ number }) => number);
    const where = (test: (change: Change) => boolean) => items.filter(test).map(({ number }) => number);
    assert.deepEqual(
      await found(`?keyId=${regulator.keyId}`),
      where(({ keyId }) => keyId === regulator.keyId),
    );
    assert.deepEqual(
      await found("?role=admin&result=refused"),
      where((c) => c.role === "admin" && c.result === "refused"),
    );
    assert.deepEqual(
      await found("?text=STOVE%20shop"),
      where(({ subject }) => subject.includes("Stove Shop")),
    );
    // The signs of a pattern are plain characters.
    assert.deepEqual(await found("?text=%25"), []);
    const last = items.at(-1) as Change;
    assert.deepEqual(await found(`?until=${new Date(Date.parse(last.at) + 1).toISOString()}`), [last.number]);
    assert.deepEqual(await found(`?from=${new Date(Date.now() + 3_600_000).toISOString()}`), []);
    const paged: number[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await changes(`?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`);
      paged.push(...page.items.map(({ number }) => number));
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(
      paged,
      where(() => true),
    );
    assert.equal((await api.admin("GET", "/admin/changes?cursor=WyJ4Il0")).status, 400);
  });

  it("is for administrators only", async () => {
    for (const role of ["regulator", "evaluator"]) {
      const call = await api.as(role);
      for (const path of ["/admin/changes", "/admin/system"]) assert.equal((await call("GET", path)).status, 403);
    }
  });
});

describe("the health of the system", () => {
  it("has the checks of /ready, the requests, and the operator's figures in words", async () => {
    const { body } = await api.admin("GET", "/admin/system");
    const { checks, requests, figures } = body as Health;
    assert.ok(checks.database?.ready && checks.chain?.ready);
    assert.ok(requests.total > 10, `${requests.total} requests`);
    const disk = figures.find(({ name }) => name === "hearth_disk_free_bytes");
    assert.ok(disk !== undefined && disk.value > 0 && disk.description !== "");
    const ready = figures.filter(({ name }) => name === "hearth_check_ready");
    assert.ok(ready.some(({ label, value }) => label === "database" && value === 1));
    assert.ok(figures.every(({ name }) => !name.endsWith("_bucket")));
  });
});

describe("the roles on the chain", () => {
  it("are read from the contracts, with the accounts that this service signs with", async () => {
    const regulator = await api.as("regulator");
    const { status, body } = await regulator("GET", "/roles");
    assert.equal(status, 200, JSON.stringify(body));
    const { roles, council, delaySeconds } = body as {
      roles: { contract: string; role: string; holders: { account: string; name: string | null }[] }[];
      council: { members: string[]; threshold: number };
      delaySeconds: number;
    };
    const holdersOf = (role: string) => roles.find((each) => each.role === role)?.holders ?? [];
    const { senders, contracts } = api.deps.chain;
    assert.deepEqual(holdersOf("registrar"), [{ account: senders.registrar.address, name: "service" }]);
    assert.deepEqual(holdersOf("ledger"), [{ account: contracts.vouchers, name: "vouchers" }]);
    assert.ok(holdersOf("council").some(({ account, name }) => account === contracts.timelock && name === "timelock"));
    assert.deepEqual(holdersOf("proposer"), [{ account: contracts.council, name: "council" }]);
    assert.deepEqual(holdersOf("executor"), [{ account: `0x${"0".repeat(40)}`, name: "anyone" }]);
    assert.ok(council.members.length >= council.threshold && council.threshold >= 2);
    assert.ok(delaySeconds >= 3_600);
    const implementer = await api.as("implementer", { implementerDid: "did:ixo:implementer/1" });
    assert.equal((await implementer("GET", "/roles")).status, 403);
  });
});
