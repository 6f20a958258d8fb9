import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { Config } from "../../api/config.ts";
import type { Answer, Narrator } from "./narrator.ts";
import { type Cast, claim, day, published, registerCertificate } from "./story.ts";

const tonnes = 100;
/** Tonnes whose conversion is left waiting. */
const waitingTonnes = 1;
const carbon = (tonnes + waitingTonnes) * 1_000;
const approach = "CA0001";
/** An example file in place of the purchase agreement. */
const documentCid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";

type Implementer = { did: string; account: PrivateKeyAccount };

/** From CARBON to a use towards another Party's NDC, under Article 6.2. Returns the conversion that is left waiting. */
export async function convertToItmos(tell: Narrator, cast: Cast, config: Config): Promise<string> {
  const implementer = await registerImplementer(tell, cast);
  const authorizationId = await authorize(tell, cast);
  await fillPool(tell, cast, config);
  await buyCarbon(tell, cast, implementer);
  const request = { implementer, authorizationId };
  tell.step("It converts them", "It signs a permit and an order; the relayer brings both to the chain: into escrow.");
  const conversionId = await requestConversion(tell, cast, { ...request, amount: tonnes * 1_000 });
  await liveOn(tell, cast, { conversionId, config });
  tell.step("Another conversion waits for the regulator", "Its CARBON is in escrow until the registry answers.");
  return await requestConversion(tell, cast, { ...request, amount: waitingTonnes * 1_000 });
}

async function registerImplementer(tell: Narrator, { admin, run }: Cast): Promise<Implementer> {
  tell.step("An implementer whose own account signs", "The API never has its key: it asks for signatures.");
  const account = privateKeyToAccount(generatePrivateKey());
  const did = `did:ixo:implementer/${run}`;
  const body = { did, account: account.address, name: `Itmo Buyer ${run}` };
  await tell.call("POST", "/v1/implementers", { as: admin, body });
  return { did, account };
}

async function authorize(tell: Narrator, { admin, run }: Cast): Promise<string> {
  tell.step(
    "The regulator registers the cooperative approach and authorizes",
    "2 % of what is issued are cancelled for overall mitigation (OMGE), 5 % go to the Adaptation Fund.",
  );
  await tell.call("POST", "/v1/itmo/cooperative-approaches", {
    as: admin,
    body: {
      cooperativeApproachId: approach,
      firstTransferringPartyId: "ZMB",
      participatingPartyIds: ["CHE"],
      sectors: ["Energy generation"],
      activityType: "Energy Efficiency households",
    },
    expect: [409],
  });
  const authorizationId = `ZMB ${run}`;
  await tell.call("POST", "/v1/itmo/authorizations", {
    as: admin,
    body: {
      authorizationId,
      cooperativeApproachId: approach,
      date: day(0),
      authorizedQuantity: 1_000,
      purpose: "NDC and OIMP",
      authorizedEntities: [{ name: "Itmo Buyer AG", countryOfIncorporation: "CHE", id: "CHE-114.049.112" }],
      timeframe: "2021 - 2030",
      firstTransferDefinition: "Use or Cancellation",
      omgePercent: 2,
      sopPercent: 5,
    },
  });
  return authorizationId;
}

/** One large voucher is spent and paid, so that the pool has CARBON to sell. */
async function fillPool(tell: Narrator, cast: Cast, config: Config): Promise<void> {
  const { admin, run, planId, supplier } = cast;
  tell.step(
    `Deliveries worth ${carbon} CARBON are paid`,
    "So much in a day needs a consent that the chain checks: the household signs. The pool now holds that CARBON.",
  );
  const household = await registerSigner(tell, cast);
  const certificateId = `CERT-ITMO-${run}`;
  const serial = Date.now() * 1_000 + 9_000;
  await registerCertificate(tell, cast, { certificateId, planId, verifiedReduction: carbon, serial });
  const attributes = { batchId: `BATCH-ITMO-${run}`, issuanceDate: day(0), expiryDate: day(86_400_000) };
  const issued = await tell.call("POST", "/v1/vouchers/issue", {
    as: admin,
    body: { recipientDid: household.did, emissionCertificateId: certificateId, value: carbon, attributes },
  });
  const order = {
    voucherId: issued.body.id,
    supplierDid: published.supplier,
    amount: carbon,
    productId: published.product,
  };
  const consent = await consentOf(tell, cast, household, order);
  const redeemed = await tell.call("POST", "/v1/vouchers/redeem", {
    as: supplier,
    body: { ...order, consent },
  });
  const delivery = { redemptionId: String(redeemed.body.redemptionId), recipient: household.did };
  await claim(tell, cast, delivery, config, "One credential for the whole delivery.");
}

type Signer = { did: string; account: PrivateKeyAccount };

/** Create a household with its own account, which an evaluator has confirmed. */
async function registerSigner(tell: Narrator, { admin, run }: Cast): Promise<Signer> {
  const account = privateKeyToAccount(generatePrivateKey());
  const did = `did:ixo:household/${run}-signs`;
  const body = { account: account.address };
  await tell.call("POST", "/v1/households", { as: admin, body: { did, ...body } });
  await tell.call("POST", `/v1/households/${encodeURIComponent(did)}/account/confirm`, { as: admin, body });
  return { did, account };
}

async function consentOf(tell: Narrator, { admin }: Cast, { account }: Signer, order: object): Promise<object> {
  const body = { action: "household-authorization", ...order };
  const asked = await tell.call("POST", "/v1/transactions/prepare", { as: admin, body });
  const typedData = asked.body.typedData as { message: { nonce: string; deadline: string } };
  const { nonce, deadline } = typedData.message;
  const signature = await account.signTypedData(typedData as never);
  return { type: "signature", signature, nonce, deadline: Number(deadline) };
}

async function buyCarbon(tell: Narrator, { admin }: Cast, { did, account }: Implementer): Promise<void> {
  const cost = 2_100;
  tell.step(`The implementer buys ${carbon} CARBON from the pool`, "Test stablecoin comes from the faucet.");
  await tell.call("POST", "/v1/dev/faucet", { as: admin, body: { account: account.address, amount: cost } });
  await tell.call("GET", "/v1/pool", { as: admin });
  await tell.call("POST", "/v1/pool/quote", { as: admin, body: { side: "buy", amountOut: carbon } });
  const deadline = Math.floor(Date.now() / 1000) + 3_600;
  const body = { implementerDid: did, side: "buy", amountOut: carbon, maxIn: cost, deadline };
  const asked = await tell.call("POST", "/v1/pool/swap", { as: admin, body });
  const signatures = { ...(await sign(account, asked)), nonce: asked.body.nonce };
  await tell.call("POST", "/v1/pool/swap", { as: admin, body: { ...body, signatures } });
}

type Request = { implementer: Implementer; authorizationId: string; amount: number };

async function requestConversion(tell: Narrator, { admin }: Cast, request: Request): Promise<string> {
  const { implementer, authorizationId, amount } = request;
  const terms = { cooperativeApproachId: approach, authorizationId, vintage: 2025 };
  const body = { implementerDid: implementer.did, amount, ...terms };
  const asked = await tell.call("POST", "/v1/itmo/conversions", { as: admin, body });
  const { nonce, deadline } = asked.body;
  const signatures = { ...(await sign(implementer.account, asked)), nonce, deadline };
  const requested = await tell.call("POST", "/v1/itmo/conversions", { as: admin, body: { ...body, signatures } });
  return String(requested.body.conversionId);
}

/** By name, as the request takes them. */
async function sign(account: PrivateKeyAccount, { body }: Answer): Promise<Record<string, string>> {
  const signed: Record<string, string> = {};
  for (const { name, ...typedData } of body.typedData as { name: string }[]) {
    signed[name] = await account.signTypedData(typedData as never);
  }
  return signed;
}

type Requested = { conversionId: string; config: Config };

async function liveOn(tell: Narrator, { admin, run }: Cast, { conversionId, config }: Requested): Promise<void> {
  tell.step(
    "The national registry answers with its serials",
    "The CARBON is burned and the block minted: 93, 2 and 5.",
  );
  const firstId = Date.now();
  const serials = { itmoRegistryId: "ZMB01", firstId, lastId: firstId + tonnes - 1 };
  const path = `/v1/itmo/conversions/${conversionId}/finalise`;
  const { blockId } = (await tell.call("POST", path, { as: admin, body: serials })).body;
  await tell.call("GET", `/v1/itmo?conversionId=${conversionId}`, { as: admin });

  tell.step("40 of them go to Switzerland, which uses 10 towards its NDC", "Each part keeps the first-transfer mark.");
  const transfer = { acquiringPartyId: "CHE", lastId: firstId + 39, note: `MOPA ${run}` };
  await tell.call("POST", `/v1/itmo/${blockId}/transfers`, { as: admin, body: transfer });
  const use = { ndcYear: 2028, lastId: firstId + 9 };
  await tell.call("POST", `/v1/itmo/${blockId}/uses`, { as: admin, body: use });

  tell.step("What was paid outside of the chain is recorded with it");
  const mopa = { type: "MOPA", reference: `MOPA-${run}`, amount: 880, currency: "CHF", documentCid };
  await tell.call("POST", `/v1/itmo/${blockId}/settlements`, { as: admin, body: mopa });
  const exchange = { ...mopa, type: "exchange", reference: `EX-${run}`, amount: 500.25 };
  await tell.call("POST", `/v1/itmo/${blockId}/settlements`, { as: admin, body: exchange });
  await tell.call("GET", `/v1/itmo/${conversionId}/settlements`, { as: admin });

  tell.step("The regulator traces one serial to the household's voucher");
  await tell.until(`${config.indexer.url}/reports/trace/ZMB01-${firstId}`, admin, (body) =>
    JSON.stringify(body).includes("VCHR-") ? body : undefined,
  );
}
