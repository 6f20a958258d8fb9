import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startPostgres } from "../../../test/support/postgres.ts";
import type { Caller } from "../../../test/support/registry.ts";
import {
  attributes,
  implementerDid,
  openVoucherTest,
  productId,
  supplierDid,
  type VoucherTest,
} from "../../../test/support/vouchers.ts";

type Body = Record<string, unknown>;

for (const kind of ["an embedded database", "PostgreSQL"]) {
  describe(`what keys read of vouchers by id, over ${kind}`, () => {
    let t: VoucherTest;
    let stopPostgres = async () => {};
    let emissionCertificateId: string;
    let voucherId: string;
    let redemptionId: string;
    let seller: Caller;
    let issuer: Caller;
    let stranger: Caller;
    before(async () => {
      const postgres = kind === "PostgreSQL" ? await startPostgres() : undefined;
      if (postgres !== undefined) stopPostgres = () => postgres.stop();
      t = await openVoucherTest(postgres === undefined ? {} : { DATABASE_URL: await postgres.createDatabase() });
      emissionCertificateId = await t.certify();
      const issued = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 100 });
      assert.equal(issued.status, 201, JSON.stringify(issued.body));
      voucherId = (issued.body as { id: string }).id;
      seller = await t.as("integrator", {
        scopes: ["vouchers:redeem", "vouchers:read", "transactions:prepare"],
        dids: [supplierDid],
      });
      issuer = await t.as("integrator", { scopes: ["vouchers:issue", "vouchers:read"], dids: [implementerDid] });
      stranger = await t.as("integrator", {
        scopes: [
          "vouchers:read",
          "vouchers:issue",
          "vouchers:manage",
          "vouchers:redeem",
          "claims:write",
          "transactions:prepare",
        ],
        dids: ["did:x:nobody"],
      });
      const redeemed = await seller("POST", "/vouchers/redeem", { voucherId, supplierDid, productId, amount: 1 });
      assert.equal(redeemed.status, 201, JSON.stringify(redeemed.body));
      assert.ok(!JSON.stringify(redeemed.body).includes(t.household(1)));
      redemptionId = (redeemed.body as { redemptionId: string }).redemptionId;
    });
    after(async () => {
      await t?.close();
      await stopPostgres();
    });

    it("shows a supplier's key the voucher that it names, and never whose it is", async () => {
      const supplier = await t.as("supplier", { supplierDid });
      for (const call of [supplier, seller]) {
        const { status, body } = await call("GET", `/vouchers/${voucherId}`);
        assert.equal(status, 200);
        const { recipientDid, remainingBalance } = body as Body;
        assert.deepEqual([recipientDid, remainingBalance], [undefined, 99]);
        assert.equal((await call("GET", `/redemptions/${redemptionId}`)).status, 200);
      }
    });

    it("lists the approved products of the voucher's plan, each with its price", async () => {
      const { admin } = t;
      const stove = { name: "Stove", category: "stove", unit: "piece" };
      const price = { amount: 450.5, currency: "ZMW", carbon: 60 };
      const of = (n: number) => `PROD-PLANNED-${n}`;
      for (const n of [1, 2, 3]) await admin("POST", "/products", { productId: of(n), price, ...stove });
      await admin("PATCH", `/products/${of(2)}`, { status: "withdrawn" });
      const period = { startDate: "2020-01-01", endDate: "2099-12-31" };
      const plan = { planId: "PLAN-LISTS", implementerDid, period, products: [of(1), of(2), of(3)] };
      assert.equal((await admin("POST", "/monitoring-plans", plan)).status, 201);
      const certificate = await t.certify([5], { planId: plan.planId });
      const lone = await t.certify([7], { planId: plan.planId });
      const batch = await admin("POST", "/vouchers/issue-batch", { emissionCertificateId: certificate, attributes });
      assert.equal(batch.status, 202, JSON.stringify(batch.body));
      const issued = await t.issue({ recipientDid: t.household(1), emissionCertificateId: lone, value: 7 });
      const supplier = await t.as("supplier", { supplierDid });
      const read = async (id: string, query = "") => (await supplier("GET", `/vouchers/${id}/products${query}`)).body;
      const { items } = (await read((issued.body as Body).id as string)) as { items: Body[] };
      assert.deepEqual(
        items.map(({ productId: id, price: shown }) => [id, shown]),
        [
          [of(1), price],
          [of(3), price],
        ],
      );
      const first = (await read((issued.body as Body).id as string, "?limit=2")) as {
        items: Body[];
        nextCursor: string;
      };
      assert.deepEqual([first.items.length, typeof first.nextCursor], [1, "string"]);
      const every = (await read(voucherId)) as { items: Body[] };
      assert.ok(every.items.some(({ productId: id }) => id === productId));
      assert.ok(!every.items.some(({ productId: id }) => id === of(2)));
    });

    it("shows the household's DID to its implementer, the household and the regulator", async () => {
      const household = await t.as("integrator", { scopes: ["vouchers:read"], dids: [t.household(1)] });
      const regulator = await t.as("regulator");
      for (const call of [issuer, household, regulator, await t.as("implementer", { implementerDid })]) {
        assert.equal(((await call("GET", `/vouchers/${voucherId}`)).body as Body).recipientDid, t.household(1));
      }
      const issued = await issuer("POST", "/vouchers/issue", {
        recipientDid: t.household(2),
        emissionCertificateId: await t.certify(),
        value: 100,
        attributes,
      });
      assert.equal((issued.body as Body).recipientDid, t.household(2), JSON.stringify(issued.body));
    });

    it("answers another's id as an unknown one, at every door that takes it", async () => {
      const unknown = "VCHR-0000000000000";
      const claimId = redemptionId.replace("REDM-", "CLAM-");
      const doors: [method: string, path: (id: string) => string, body?: (id: string) => Body][] = [
        ["GET", (id) => `/vouchers/${id}`],
        ["GET", (id) => `/vouchers/${id}/proof`],
        ["GET", (id) => `/vouchers/${id}/products`],
        ["GET", (id) => `/vouchers/${id}/qr`],
        ["POST", (id) => `/vouchers/${id}/sweep`, () => ({})],
        ["POST", (id) => `/vouchers/${id}/cancel`, () => ({ reason: "x" })],
        [
          "POST",
          () => "/transactions/prepare",
          (id) => ({ action: "sweep", voucherId: id, from: `0x${"1".repeat(40)}` }),
        ],
        [
          "POST",
          () => "/transactions/prepare",
          (id) => ({ action: "redeem", voucherId: id, supplierDid, productId, amount: 1 }),
        ],
        [
          "POST",
          () => "/transactions/prepare",
          (id) => ({ action: "household-authorization", voucherId: id, supplierDid, productId, amount: 1 }),
        ],
      ];
      for (const [method, path, body] of doors) {
        const [theirs, none] = await Promise.all(
          [voucherId, unknown].map((id) => stranger(method, path(id), body?.(id))),
        );
        assert.deepEqual(
          [theirs?.status, none?.status],
          [404, 404],
          `${method} ${path(":id")} ${JSON.stringify(body?.(""))}`,
        );
      }
      for (const path of [`/redemptions/${redemptionId}`, `/claims/${claimId}`]) {
        assert.equal((await stranger("GET", path)).status, 404, path);
      }
    });

    it("lets an integrator without the scope read no claim, whatever its id", async () => {
      const reader = await t.as("integrator", { scopes: ["vouchers:read"] });
      assert.equal((await reader("GET", "/claims/CLAM-0000000000000")).status, 403);
    });
  });
}
