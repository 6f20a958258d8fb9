import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPublicClient, http } from "viem";
import { carbonAbi } from "../../../deployments/abi/carbon.ts";
import { vouchersAbi } from "../../../deployments/abi/vouchers.ts";
import { type ServerProcess, startServer } from "../../../test/support/api-server.ts";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { createIssuer } from "../../../test/support/credentials.ts";
import { accountOf, exampleCertificate, withCredential } from "../../../test/support/registry.ts";
import { makeRevocationsFinal } from "../../../test/support/veto.ts";
import type { Certificate } from "./schemas.ts";

const VOUCHERS = 2_000;
let world: TestWorld | undefined;
let server: ServerProcess | undefined;
after(async () => {
  await server?.stop("SIGKILL");
  await world?.close();
});

type Operation = { url: string; status: string; progress: object; waitsUntil?: string; result?: unknown };

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const isText = typeof body === "string";
  const answer = await fetch(`${server?.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${testAdminKey}`,
      "content-type": isText ? "text/csv" : "application/json",
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}

async function settled({ url }: { url: string }): Promise<Operation> {
  for (let i = 0; i < 1_200; i++) {
    const operation = await call<Operation>("GET", url);
    if (!["queued", "running"].includes(operation.status)) return operation;
    await sleep(100);
  }
  throw new Error("The operation did not end.");
}

/** A certificate whose vouchers are all issued. */
async function issuedCertificate(): Promise<string> {
  const issuer = createIssuer();
  const implementer = { did: "did:ixo:implementer/1", account: accountOf(1), name: "Stoves" };
  await call("POST", "/v1/implementers", implementer);
  await call("POST", "/v1/issuers", { did: issuer.did, credentialTypes: ["EmissionReductionCredential"] });
  const dids = Array.from({ length: VOUCHERS }, (_, i) => `did:ixo:burned/${i}`);
  await settled(await call("POST", "/v1/households/import", ["did", ...dids].join("\n")));
  const allocations = dids.map((householdDid) => ({ householdDid, amount: 1 }));
  const body = exampleCertificate({ verifiedReduction: VOUCHERS, allocations });
  await call("POST", "/v1/certificates", await withCredential(issuer, body));
  const attributes = { batchId: "BATCH-1", issuanceDate: "2024-03-15", expiryDate: "2099-12-31" };
  const { certificateId } = body;
  const batch = { emissionCertificateId: certificateId, attributes };
  assert.equal((await settled(await call("POST", "/v1/vouchers/issue-batch", batch))).status, "succeeded");
  return certificateId;
}

test("burning that was interrupted by a kill continues at the next start and burns each voucher once", {
  timeout: 480_000,
}, async () => {
  world = await createTestWorld({ blockSeconds: 0.3 });
  server = await startServer(world);
  const path = `/v1/certificates/${await issuedCertificate()}`;
  const revoke = () => call("PATCH", path, { status: "revoked", reason: "Measured wrongly" }).catch(() => undefined);
  // The first kill comes during the revocation: it is in the database, and no process follows it yet.
  const revocation = revoke();
  for (const pause of [100, 1_000]) {
    await sleep(pause);
    await server.killAndStart();
  }
  await revocation;
  // On a slow machine the kill came before the request: without an answer, the client repeats it. A server that has stored the first one refuses the second.
  await revoke();
  let burning: Certificate["burnOperation"] = null;
  for (let i = 0; i < 300 && burning === null; i++) {
    await sleep(100);
    burning = (await call<Certificate>("GET", path)).burnOperation;
  }
  assert.ok(burning);
  const { url } = burning;
  // One kill while it waits, the others while it burns.
  let waitsUntil: string | undefined;
  for (let i = 0; i < 300 && waitsUntil === undefined; i++) {
    await sleep(100);
    ({ waitsUntil } = await call<Operation>("GET", url));
  }
  assert.ok(waitsUntil);
  await server.killAndStart();
  await makeRevocationsFinal(world);
  for (const pause of process.env.HEARTH_LONG ? [100, 400, 700, 1_500, 200, 900] : [700, 500]) {
    await sleep(pause);
    await server.killAndStart();
  }
  assert.partialDeepStrictEqual(await settled(burning), {
    status: "succeeded",
    progress: { done: VOUCHERS, total: VOUCHERS, failed: 0 },
    result: { vouchers: VOUCHERS, burned: `${VOUCHERS}` },
  });

  const client = createPublicClient({ transport: http(world.anvil.url) });
  const { carbon, vouchers } = world.contracts.addresses;
  const escrow = { abi: carbonAbi, address: carbon, functionName: "balanceOf", args: [vouchers] } as const;
  assert.equal(await client.readContract(escrow), 0n);
  const burned = { abi: vouchersAbi, address: vouchers, eventName: "VoucherRevoked", fromBlock: 0n } as const;
  assert.equal((await client.getContractEvents(burned)).length, VOUCHERS);
  await server.stop("SIGTERM");
});
