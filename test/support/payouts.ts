import { randomUUID } from "node:crypto";
import type { Database } from "../../api/platform/db/index.ts";
import type { Log } from "../../api/platform/log.ts";
import { newId } from "../../api/platform/new-id.ts";
import { callOutside } from "../../api/platform/outbound/index.ts";
import { createSecretBox, sealingKeysOf } from "../../api/platform/secret-box.ts";
import { createAccountStore } from "../../connect/payout/accounts/store.ts";
import { createAttemptStore } from "../../connect/payout/attempts/store.ts";
import type { PayoutDeps } from "../../connect/payout/deps.ts";
import { createOrderStore } from "../../connect/payout/orders/store.ts";
import { PartnerApis } from "../../connect/payout/partners/partner-apis.ts";
import type { PartnerSettings } from "../../connect/payout/partners/schemas.ts";
import { createPartnerStore } from "../../connect/payout/partners/store.ts";
import { createRateStore } from "../../connect/payout/rates/store.ts";
import type { AttemptRow, OrderRow, PartnerRow } from "../../connect/payout/tables.ts";
import type { RoomHost } from "../../connect/room.ts";

/** The payouts' dependencies on a database, without the API: enough for everything that happens between the database and a partner. */
export function payoutDeps(db: Database, log: Log, now: () => Date): PayoutDeps {
  const box = createSecretBox(sealingKeysOf(`0x${"7".repeat(64)}`), "room");
  const host = {
    log,
    clock: { now },
    publicUrl: "https://hearth.example",
    callOutside: (url, request, allowance) =>
      callOutside(url, request, { allowLoopback: false, allowPrivate: allowance?.privateNetwork === true }),
  } as RoomHost;
  return {
    host,
    box,
    partners: createPartnerStore(db),
    rates: createRateStore(db),
    accounts: createAccountStore(db),
    orders: createOrderStore(db),
    attempts: createAttemptStore(db),
    apis: new PartnerApis(box, host),
    nudge: () => {},
  };
}

/** Settings of a partner at a peer. */
export function settingsAt(url: string, kind: PartnerSettings["kind"]): PartnerSettings {
  if (kind === "mtn-momo") {
    const subscriptionKey = "subscription-key-of-the-test";
    return {
      kind,
      url,
      privateNetwork: true,
      subscriptionKey,
      apiUser: "user",
      apiKey: "api-key-of-the-test",
      targetEnvironment: "mtnzambia",
    };
  }
  const clientSecret = "client-secret-of-the-test";
  const local = { url, privateNetwork: true };
  return {
    kind,
    ...local,
    clientId: "c",
    clientSecret,
    encryptedPin: "pin-of-the-test",
    country: "ZM",
    callingCode: "260",
  };
}

export async function addPartner(deps: PayoutDeps, url: string, kind: PartnerSettings["kind"]): Promise<PartnerRow> {
  const createdAt = deps.host.clock.now();
  const row: PartnerRow = {
    id: newId(createdAt),
    name: kind,
    kind,
    account: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    currency: "ZMW",
    unitDecimals: 2,
    sealedSettings: deps.box.seal(JSON.stringify(settingsAt(url, kind))),
    sealedToken: deps.box.seal("hg_token"),
    secretHash: "",
    keyId: "key",
    sealedKey: deps.box.seal("key"),
    payFrom: new Date(0),
    cursor: null,
    createdBy: "admin",
    createdAt,
    closedAt: null,
  };
  await deps.partners.add(row);
  return row;
}

let payments = 0;

/** An order of 68.48 with an attempt that is stored and was not called. */
export async function addPrepared(
  deps: PayoutDeps,
  partner: PartnerRow,
): Promise<{ order: OrderRow; attempt: AttemptRow }> {
  const createdAt = deps.host.clock.now();
  payments++;
  const order: OrderRow = {
    paymentId: `PAY-${String(payments).padStart(20, "0")}0`,
    claimId: `CLM-${payments}`,
    supplierDid: "did:ixo:supplier/456",
    account: partner.account,
    stablecoin: 2_525_000n,
    transactionHash: "0x",
    blockNumber: 1,
    paidAt: createdAt,
    status: "waiting",
    waitsFor: null,
    attempts: 0,
    currency: null,
    rateId: null,
    rate: null,
    amount: null,
    remainder: null,
    nextTryAt: createdAt,
    createdAt,
    endedAt: null,
  };
  await deps.orders.addNew([order]);
  const attempt = newAttemptOf(deps, order, partner);
  const price = { currency: "ZMW", rateId: "R", rate: 27_123_457n, amount: 68_480_000n, remainder: 6_728_925_000n };
  if (!(await deps.orders.prepare(order, price, attempt))) throw new Error("The order has an attempt.");
  return { order, attempt };
}

export function newAttemptOf({ box, host }: PayoutDeps, order: OrderRow, partner: PartnerRow): AttemptRow {
  const createdAt = host.clock.now();
  return {
    reference: randomUUID(),
    paymentId: order.paymentId,
    number: order.attempts + 1,
    partnerId: partner.id,
    accountId: "account",
    sealedNumber: box.seal("+260971234567"),
    sealedHolder: box.seal("Mary Banda"),
    status: "prepared",
    calls: 0,
    notMade: 0,
    isRefused: false,
    reason: null,
    partnerTransaction: null,
    turns: 0,
    nextTryAt: createdAt,
    createdAt,
    calledAt: null,
    sentAt: null,
    askedAt: null,
    endedAt: null,
  };
}
