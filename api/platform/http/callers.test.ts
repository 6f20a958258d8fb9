import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { accountOf, type Caller, openRegistryTest, type RegistryTest } from "../../../test/support/registry.ts";
import { encodeClaimId, encodeKptClaimId } from "../../../wire/src/ids.ts";
import { describeApi } from "../server/docs.ts";
import { type Role, roles } from "./request-context.ts";
import { createRouter } from "./router.ts";

type Operation = { security?: unknown[]; "x-callers"?: { roles: string[]; integratorScopes?: string[] } };
type Route = { method: string; path: string; operation: Operation };

const supplierDid = "did:ixo:supplier/456";
const implementerDid = "did:ixo:implementer/1";
let t: RegistryTest;
let routes: Route[];
let callers: [name: string, role: Role, call: Caller][];
before(async () => {
  t = await openRegistryTest();
  await t.admin("POST", "/suppliers", { did: supplierDid, account: accountOf(2), name: "Shop" });
  const limits: Partial<Record<Role, Record<string, unknown>>> = {
    supplier: { supplierDid },
    implementer: { implementerDid },
    integrator: { scopes: [], dids: [] },
  };
  callers = await Promise.all(
    roles.map(async (role): Promise<(typeof callers)[number]> => [role, role, await t.as(role, limits[role])]),
  );
  routes = routesOf(t);
});
after(() => t.close());

/** List every route below /v1 that needs a key, without its prefix. */
function routesOf({ app }: RegistryTest): Route[] {
  return Object.entries(describeApi(app).paths ?? {}).flatMap(([path, item]) => {
    if (!path.startsWith("/v1/")) return [];
    return Object.entries(item as Record<string, Operation>).flatMap(([method, operation]) => {
      if (operation.security?.length === 0) return [];
      return [{ method: method.toUpperCase(), path: path.slice(3), operation }];
    });
  });
}

const unknownIds = ["NOTHING-1", encodeClaimId(1_000_000n), encodeKptClaimId(1_000_000n)];

/** Call a route for records that do not exist, whose ids say that they are of several kinds. */
async function statusesOf(call: Caller, { method, path }: Route): Promise<number[]> {
  const ids = path.includes("{id}") ? unknownIds : unknownIds.slice(0, 1);
  const answers = ids.map((id) => {
    const filled = path
      .replace("{action}", "flag")
      .replaceAll(/\{(\w+)\}/g, (_, name) => (name === "did" ? "did:x:nobody" : id));
    return call(method, filled, method === "GET" ? undefined : {});
  });
  return (await Promise.all(answers)).map(({ status }) => status);
}

/** Whether a route refuses a caller for each record, if it must refuse it, and otherwise not for each. */
function isAnsweredFor(statuses: number[], may: boolean): boolean {
  return may ? statuses.some((status) => status !== 403) : statuses.every((status) => status === 403);
}

describe("who may call a route", () => {
  it("is said by every route that needs a key", () => {
    const silent = routes.filter(({ operation }) => operation["x-callers"] === undefined);
    assert.deepEqual(silent, []);
    const router = createRouter();
    const config = { method: "post", path: "/things", responses: {} } as const;
    assert.throws(() => router.openapi(config, () => undefined as never), /POST \/things must say who may call it/i);
  });

  it("takes no large body of anyone without a key, since parsing it costs time", async () => {
    const body = JSON.stringify({ message: "x".repeat(100_000) });
    const open = Object.entries(describeApi(t.app).paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>)
        .filter(([method, { security }]) => path.startsWith("/v1/") && method === "post" && security?.length === 0)
        .map(() => path.replaceAll(/\{\w+\}/g, "NOTHING-1")),
    );
    const statuses = await Promise.all(
      open.map(async (path) => (await t.app.request(path, { method: "POST", body })).status),
    );
    assert.ok(open.length >= 7, `${open}`);
    assert.deepEqual(
      open.filter((_, i) => statuses[i] !== 413),
      [],
    );
  });

  it("returns 403 before it reveals anything of a record, for each role at each route", async () => {
    const wrong: string[] = [];
    let forbidden = 0;
    for (const route of routes) {
      const allowed = route.operation["x-callers"];
      if (allowed === undefined) continue;
      for (const [name, role, call] of callers) {
        const statuses = await statusesOf(call, route);
        const may = allowed.roles.includes(role);
        if (!isAnsweredFor(statuses, may)) wrong.push(`${name} ${route.method} ${route.path}: ${statuses}`);
        if (!may) forbidden++;
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(forbidden > 150, `only ${forbidden} calls were forbidden`);
  });

  it("lets an integrator pass with one of the route's scopes, and with no other", async () => {
    const wrong: string[] = [];
    const scoped = routes.filter(({ operation }) => operation["x-callers"]?.integratorScopes !== undefined);
    const scopes = [...new Set(scoped.flatMap(({ operation }) => operation["x-callers"]?.integratorScopes ?? []))];
    for (const scope of scopes) {
      const call = await t.as("integrator", { scopes: [scope] });
      for (const route of scoped) {
        const may = route.operation["x-callers"]?.integratorScopes?.includes(scope) ?? false;
        const statuses = await statusesOf(call, route);
        if (!isAnsweredFor(statuses, may)) wrong.push(`${scope} ${route.method} ${route.path}: ${statuses}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("comes before the record also where the request says what is wanted of it", async () => {
    const [regulator, supplier, implementer] = ["regulator", "supplier", "implementer"].map(
      (wanted) => callers.find(([, role]) => role === wanted)?.[2] as Caller,
    ) as [Caller, Caller, Caller];
    const approval = { status: "approved" };
    assert.equal((await implementer("PATCH", "/products/PROD-UNKNOWN", approval)).status, 403);
    assert.equal((await regulator("PATCH", "/products/PROD-UNKNOWN", approval)).status, 404);
    const delivery = {
      type: "DeliveryClaim",
      redemptionId: "REDM-UNKNOWN",
      verifiableCredential: { type: "x", proof: "y" },
    };
    assert.equal((await implementer("POST", "/claims", delivery)).status, 403);
    assert.equal((await supplier("POST", "/claims", delivery)).status, 404);
    const cancel = { action: "cancel", voucherId: "VCHR-UNKNOWN", reason: "x" };
    assert.equal((await supplier("POST", "/transactions/prepare", cancel)).status, 403);
    assert.equal((await implementer("POST", "/transactions/prepare", cancel)).status, 404);
    const kptClaim = `/claims/${encodeKptClaimId(1_000_000n)}`;
    assert.equal((await supplier("GET", kptClaim)).status, 403);
    assert.equal((await implementer("GET", kptClaim)).status, 404);
    assert.equal((await supplier("GET", "/itmo/BLOCK-UNKNOWN/settlements")).status, 403);
    assert.equal((await regulator("GET", "/itmo/BLOCK-UNKNOWN/settlements")).status, 404);
  });
});
