import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { testAdminKey } from "../../../test/support/core.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { makeRevocationsFinal, vetoRevocation } from "../../../test/support/veto.ts";
import { attributes, openVoucherTest, type VoucherTest } from "../../../test/support/vouchers.ts";
import { encodeVoucherId, voucherIdOf } from "../../../wire/src/ids.ts";
import { openApp } from "../../app.ts";
import type { OpenDeps } from "../../compose.ts";
import { submitCall } from "../../platform/chain/submit.ts";
import { createLog } from "../../platform/log.ts";
import { certificateStatusNumber } from "./directory.ts";
import type { Certificate } from "./schemas.ts";

type Operation = {
  type: string;
  status: string;
  progress: object;
  waitsUntil?: string;
  result?: { vouchers: number; burned: string } | { reason: string };
};
const DAY = 86_400_000;

for (const database of ["embedded database", "PostgreSQL with two processes"]) {
  describe(`Burning what revoked certificates hold, ${database}`, () => {
    let test: VoucherTest;
    let postgres: TestPostgres | undefined;
    let second: OpenDeps | undefined;
    before(async () => {
      postgres = database === "embedded database" ? undefined : await startPostgres();
      const env: Record<string, string> =
        postgres === undefined ? {} : { DATABASE_URL: await postgres.createDatabase() };
      test = await openVoucherTest(env);
      if (postgres === undefined) return;
      const config = test.world.config({ ADMIN_API_KEY: testAdminKey, ...env });
      second = await openApp(config, createLog(config));
    });
    after(async () => {
      await second?.close();
      await test?.close();
      await postgres?.stop();
    });

    const escrow = () => {
      const { chain } = test.deps;
      return chain.read("carbon", "balanceOf", [chain.addresses.vouchers]);
    };
    const revoke = (id: string) =>
      test.admin("PATCH", `/certificates/${id}`, { status: "revoked", reason: "Measured wrongly" });
    const read = async (id: string) => (await test.admin("GET", `/certificates/${id}`)).body as Certificate;

    /** The certificate's operation, once `isSoFar` accepts it. */
    const operationWhen = async (id: string, isSoFar: (operation: Operation) => boolean): Promise<Operation> => {
      let last: unknown;
      for (let i = 0; i < 1_200; i++) {
        const { burnOperation } = await read(id);
        const path = burnOperation?.url.replace("/v1", "");
        const operation = path && ((await test.admin("GET", path)).body as Operation);
        if (operation && isSoFar(operation)) return operation;
        last = operation;
        await sleep(50);
      }
      throw new Error(`The operation does not get so far: ${JSON.stringify(last)}`);
    };
    const ended = (id: string) => operationWhen(id, ({ status }) => !["queued", "running"].includes(status));
    const waiting = (id: string) => operationWhen(id, ({ waitsUntil }) => waitsUntil !== undefined);
    /** The certificate's finished operation, once the revocation is final. */
    const burned = async (id: string) => {
      await waiting(id);
      await makeRevocationsFinal(test.world);
      return ended(id);
    };
    const indexOf = async (id: string) => (await read(id)).index;
    const issueBatch = async (emissionCertificateId: string) => {
      const started = await test.admin("POST", "/vouchers/issue-batch", { emissionCertificateId, attributes });
      assert.equal(started.status, 202, JSON.stringify(started.body));
      const { url } = started.body as { url: string };
      for (;;) {
        const { status } = (await test.admin("GET", url.replace("/v1", ""))).body as Operation;
        if (status === "succeeded") return;
        assert.ok(["queued", "running"].includes(status), status);
        await sleep(50);
      }
    };
    const burns = () => test.deps.chain.past("vouchers", "VoucherRevoked", {});

    it("burns unused, used and suspended vouchers after a revocation by the API, each once", async () => {
      const before = await escrow();
      const certificateId = await test.certify([10, 20, 30, 40]);
      await issueBatch(certificateId);
      const row = await test.deps.certificates.byId(certificateId);
      const [batch] = await test.deps.chain.past("vouchers", "BatchIssued", { certificate: row?.certificate ?? 0 });
      const voucherId = (i: number) => encodeVoucherId(voucherIdOf(batch?.args.batch ?? 0, i));
      const redeemed = await test.redeem({ voucherId: voucherId(1), amount: 20 });
      assert.equal(redeemed.status, 201, JSON.stringify(redeemed.body));
      const suspended = await test.admin("POST", `/vouchers/${voucherId(2)}/suspend`, { reason: "Review" });
      assert.equal(suspended.status, 200, JSON.stringify(suspended.body));
      assert.equal((await read(certificateId)).burnOperation, null);

      const revoked = await revoke(certificateId);
      assert.equal(revoked.status, 200);
      assert.deepEqual((revoked.body as Certificate).burnOperation, (await read(certificateId)).burnOperation);
      const { waitsUntil } = await waiting(certificateId);
      assert.equal((await read(certificateId)).revocationFinalAt, waitsUntil);
      const midnights = Date.parse(waitsUntil ?? "") / DAY - Number(await test.deps.chain.now()) / 86_400;
      assert.ok(midnights > 1 && midnights <= 2 && Date.parse(waitsUntil ?? "") % DAY === 0, waitsUntil);
      assert.equal(await escrow(), before + 100_000_000n);
      assert.partialDeepStrictEqual(await burned(certificateId), {
        type: "certificate-burn",
        status: "succeeded",
        progress: { done: 4, total: 4, failed: 0 },
        result: { vouchers: 4, burned: "80" },
      });
      assert.equal((await read(certificateId)).revocationFinalAt, null);
      assert.equal(await escrow(), before + 20_000_000n);
      assert.equal((await burns()).length, 4);
      assert.partialDeepStrictEqual(await test.admin("GET", `/vouchers/${voucherId(0)}`), {
        status: 200,
        body: { status: "cancelled" },
      });

      // The reversal gives nothing back: the spent voucher was closed with the others.
      const { redemptionId } = redeemed.body as { redemptionId: string };
      const reversed = await test.admin("POST", `/redemptions/${redemptionId}/reverse`, { reason: "Returned" });
      assert.equal(reversed.status, 200, JSON.stringify(reversed.body));
      assert.equal(await escrow(), before);
    });

    it("burns nothing of what the guardian saves, begins again with the next revocation, and holds up no other work", async () => {
      const before = await escrow();
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.push(await test.certify([10, 20]));
      const [first = "", ...others] = ids;
      await issueBatch(first);
      for (const id of ids) assert.equal((await revoke(id)).status, 200);
      for (const id of ids) await waiting(id);
      for (const id of others) await vetoRevocation(test.world, await indexOf(id));
      const other = await test.certify([30, 40]);
      await issueBatch(other);

      await vetoRevocation(test.world, await indexOf(first), "A stolen key");
      assert.partialDeepStrictEqual(await ended(first), {
        status: "cancelled",
        result: { reason: "The guardian has vetoed the revocation." },
      });
      for (const id of others) assert.equal((await ended(id)).status, "cancelled");
      assert.partialDeepStrictEqual(await read(first), { status: "suspended", revocationFinalAt: null });
      const valid = await test.admin("PATCH", `/certificates/${first}`, { status: "valid", reason: "Vetoed" });
      assert.equal(valid.status, 200, JSON.stringify(valid.body));
      const [batch] = await test.deps.chain.past("vouchers", "BatchIssued", { certificate: await indexOf(first) });
      const voucherId = encodeVoucherId(voucherIdOf(batch?.args.batch ?? 0, 0));
      const redeemed = await test.redeem({ voucherId, amount: 4 });
      assert.equal(redeemed.status, 201, JSON.stringify(redeemed.body));

      assert.equal((await revoke(first)).status, 200);
      assert.partialDeepStrictEqual(await burned(first), {
        status: "succeeded",
        progress: { done: 2, total: 2, failed: 0 },
        result: { vouchers: 2, burned: "26" },
      });
      assert.equal(await escrow(), before + 74_000_000n);
      const again = await test.admin("PATCH", `/certificates/${first}`, { status: "valid", reason: "Too late" });
      assert.equal(again.status, 409);
      assert.match(JSON.stringify(again.body), /The revocation is final since \d{4}-\d{2}-\d{2}/);
    });

    it("burns what a revocation on the chain alone leaves, and answers its implementer", async () => {
      const before = await escrow();
      const certificateId = await test.certify();
      const recipientDid = test.household(1);
      const issued = await test.issue({ emissionCertificateId: certificateId, recipientDid, value: 100 });
      assert.equal(issued.status, 201, JSON.stringify(issued.body));
      const row = await test.deps.certificates.byId(certificateId);
      const { chain } = test.deps;
      await submitCall(
        { chain },
        {},
        {
          sender: "registrar",
          contract: "certificates",
          functionName: "setCertificateStatus",
          args: [row?.certificate ?? 0, certificateStatusNumber.revoked, "Seen on the chain"],
          purpose: "test",
        },
      );
      assert.deepEqual((await burned(certificateId)).result, { vouchers: 1, burned: "100" });
      assert.equal(await escrow(), before);
      const { url } = (await read(certificateId)).burnOperation ?? { url: "" };
      const path = url.replace("/v1", "");
      const own = await test.as("implementer", { implementerDid: "did:ixo:implementer/1" });
      const other = await test.as("implementer", { implementerDid: "did:ixo:implementer/2" });
      assert.deepEqual([(await own("GET", path)).status, (await other("GET", path)).status], [200, 404]);
      const hidden = (await other("GET", `/certificates/${certificateId}`)).body as Certificate;
      assert.equal(hidden.burnOperation, null);
    });
  });
}
