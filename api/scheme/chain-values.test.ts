import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createWalletClient, http, keccak256, publicActions, stringToBytes, stringToHex, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { testAdminKey } from "../../test/support/core.ts";
import { openTestScheme, type TestScheme } from "../../test/support/scheme.ts";
import { abis, type ContractName } from "../platform/chain/contracts.ts";

const lastOf = (bits: bigint): bigint => 2n ** bits - 1n;
const issuer = "did:web:for-ever.example";
let scheme: TestScheme;

/** Send a call with the registrar's key alone, as someone may who has it and not the API. */
async function write(contract: ContractName, functionName: string, args: unknown[]): Promise<void> {
  const { anvil, contracts } = scheme.world;
  const account = privateKeyToAccount(contracts.keys.registrar);
  const wallet = createWalletClient({ account, transport: http(anvil.url), pollingInterval: 50 }).extend(publicActions);
  const address = contracts.addresses[contract];
  const call = { abi: abis[contract], address, functionName, args, chain: null, gas: 5_000_000n } as never;
  await wallet.simulateContract({ ...(call as object), account } as never);
  const { status } = await wallet.waitForTransactionReceipt({ hash: await wallet.writeContract(call) });
  assert.equal(status, "success", functionName);
}

/** What the keys of the roles may write on chain without the API: texts with a NUL character, and times that no calendar has. */
before(async () => {
  scheme = await openTestScheme();
  const account = `0x${"b".repeat(40)}`;
  const participants = (call: string, args: unknown[]) => write("participants", call, args);
  await participants("trustIssuer", [issuer, ["EmissionReductionCredential\0"], 0n, lastOf(64n)]);
  await participants("trustIssuer", ["did:web:nul\0.example", ["EmissionReductionCredential"], 5n, lastOf(63n)]);
  await participants("registerSupplier", ["did:ixo:supplier/nul\0", account, "Na\0me", "Lu\0saka"]);
  await participants("registerImplementer", ["did:ixo:implementer/nul\0", account, "Na\0me"]);
  await participants("registerProduct", ["PROD-\0", "Sto\0ve", "sto\0ve", "pie\0ce", lastOf(64n), 0]);
  const plan = { planId: "PLAN-\0", implementer: 1, startDay: 0, endDay: Number(lastOf(24n)), claimWindowHours: 8_760 };
  const rules = {
    reviewShare: 0,
    supplierMayIssue: true,
    unconsentedCap: 1,
    products: [1],
    trustedIssuers: ["did:\0"],
  };
  await participants("registerPlan", [{ ...plan, ...rules, terms: '{"regions":["\0"]}' }]);
  const far = Number(lastOf(32n));
  const entry = { kind: "nc\0v", key: "pe\0at", unit: "T\0J", source: "deci\0sion", sourceHash: zeroHash };
  const value = { value: lastOf(200n), decimals: 2, validFrom: far, validTo: far };
  await write("parameters", "set", [{ ...entry, ...value }]);
  const certificate = {
    certificateId: "CERT-\0",
    activityId: "ACT-\0",
    implementer: 1,
    plan: 0,
    vintage: 1970,
    periodStart: 0,
    periodEnd: 100,
    verifiedReduction: 70n * 10n ** 9n,
    registry: "REG",
    firstSerial: lastOf(64n) - 70n,
    lastSerial: lastOf(64n) - 1n,
    verifier: keccak256(stringToBytes("did:key:zVerifier")),
    credentialIssuedAt: lastOf(64n),
    credentialHash: keccak256(stringToBytes("credential")),
    allocationCount: far,
    predecessor: 0,
  };
  await write("certificates", "registerCertificate", [certificate]);
  const code = (text: string) => stringToHex(text);
  const approach = {
    approachId: code("CA0001"),
    firstTransferringParty: code("ZMB"),
    participatingParties: [code("CHE"), code("ZMB")],
    sectors: ["Ene\0rgy"],
    activityType: "Energy efficiency\0households",
    ndcFirstYear: 0,
    ndcLastYear: 65_535,
  };
  await write("itmo", "registerApproach", [approach]);
  const entity = { name: "Buyer\0", country: code("CHE"), entityId: "CHE-100", implementer: 0 };
  const authorization = {
    authorizationId: "ZMB-ODD-1",
    approach: 1,
    date: 0,
    quantity: lastOf(64n),
    purpose: 5,
    firstTransfer: 3,
    firstYear: 0,
    lastYear: 65_535,
    omgeShare: 0,
    sopShare: 10_000,
    entities: [entity],
    terms: "no JSON\0",
  };
  await write("itmo", "registerAuthorization", [authorization]);
});
after(() => scheme?.close());

const lists = [
  "/issuers",
  "/suppliers",
  "/implementers",
  "/products",
  "/monitoring-plans",
  "/parameters",
  "/certificates",
  "/itmo/cooperative-approaches",
  "/itmo/authorizations",
  "/overview",
  `/issuers/${encodeURIComponent(issuer)}`,
];
test("a time after the year 9999 is shown as that year's end", async () => {
  const path = `/v1/issuers/${encodeURIComponent(issuer)}`;
  const answer = await scheme.app.request(path, { headers: { authorization: `Bearer ${testAdminKey}` } });
  const { status, validUntil } = (await answer.json()) as { status: string; validUntil: string };
  assert.deepEqual([status, validUntil], ["trusted", "9999-12-31T23:59:59.000Z"]);
});

for (const path of lists) {
  test(`${path} answers although the chain has values that no database or calendar has`, async () => {
    const answer = await scheme.app.request(`/v1${path}`, { headers: { authorization: `Bearer ${testAdminKey}` } });
    assert.equal(answer.status, 200, await answer.text());
  });
}
