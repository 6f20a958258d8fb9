import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { asc, eq, gte } from "ponder";
import { createPublicClient, type Hex, hexToString, http, keccak256, stringToHex, toHex, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { vouchersAbi } from "../../deployments/abi/vouchers.ts";
import { describe as describeArguments } from "../../indexer/lib/activity.ts";
import * as schema from "../../indexer/ponder.schema.ts";
import { encodeClaimId, encodeKptClaimId, encodeRedemptionId, encodeVoucherId } from "../../wire/src/ids.ts";
import { type CampaignStory, commitLongBefore, postponedId, tellCampaigns } from "./campaign-story.ts";
import { itmoCases } from "./itmo-cases.ts";
import { type ItmoStory, tellItmos } from "./itmo-story.ts";
import { type Indexer, startIndexerOn, waitForBlock } from "./ponder-process.ts";
import { questionCases } from "./question-cases.ts";
import { assertExceptions, assertReports } from "./reports/live.ts";
import { countsOf, readAllRows } from "./rows.ts";
import { oracleDid, oracleUrl, type Story, tellStory } from "./story.ts";
import { createWorld, type World } from "./world.ts";

type Link = { from: { type: string; id: string }; to: { type: string; id: string }; transactionHash: string };
type Trace = {
  type: string;
  campaign: {
    campaignId: string;
    status: string;
    terms: string;
    termsVersion: number;
    drawParties: { kind: string; secret: string | null }[];
    groups: Record<"reference" | "intervention", { missing: { position: number; reason: string }[] }>;
  } | null;
  kptClaims: { id: string; status: string; testGroup: string; position: number }[];
  certificate: { certificateId: string; transactionHash: string };
  vouchers: {
    voucherId: string;
    status: string;
    replacedBy: string | null;
    redemptions: { redemptionId: string; claim: { payment: { asset: string; amount: number } | null } | null }[];
  }[];
  links: Link[];
  history: { event: string; transactionHash: string }[];
  nextCursor: string | null;
};

type Detail = { rule: string };
type Table = { name: string; columns: { name: string; type: string; nullable: boolean }[] };

describe("the indexer that watched a whole story live", () => {
  let world: World;
  let story: Story;
  let campaigns: CampaignStory;
  let itmos: ItmoStory;
  let live: Indexer;
  const get = async (path: string) => {
    const response = await fetch(`${live.url}${path}`);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const traceOf = async (id: string, query = "") =>
    (await get(`/reports/trace/${encodeURIComponent(id)}${query}`)).body as unknown as Trace;

  before(async () => {
    world = await createWorld();
    await commitLongBefore(world);
    live = await startIndexerOn(world, join(world.folder, "live"));
    story = await tellStory(world);
    campaigns = await tellCampaigns(world);
    itmos = await tellItmos(world);
    await waitForBlock(live, itmos.lastBlock);
  });
  after(async () => {
    await live?.stop("SIGKILL");
    await world?.close();
  });

  it("has every voucher with the ledger's own balance", async () => {
    const rows = await live.client.db.select().from(schema.voucher);
    assert.equal(rows.length, story.households + 5);
    assert.ok(rows.some(({ opened }) => opened));
    for (const row of rows) {
      const args = [row.id];
      const record = await world.read("vouchers", "voucherOf", args);
      const { remaining, household, status } = record as { remaining: bigint; household: number; status: number };
      assert.equal(row.opened, status !== 0, row.publicId);
      if (row.opened) assert.deepEqual([row.remaining, row.householdIndex], [remaining, household], row.publicId);
    }
  });

  it("marks a voucher as expired once its last day is over", async () => {
    const block = await live.client.block();
    const today = Math.floor((block?.timestamp ?? 0) / 86_400);
    const rows = await live.client.db.select().from(schema.voucher);
    const expired = rows.filter(({ status }) => status === "expired");
    assert.ok(expired.length > 0, "the story lasts longer than its vouchers");
    for (const { status, expiryDay, publicId } of rows) {
      if (status === "active") assert.ok(expiryDay >= today, publicId);
      if (status === "expired") assert.ok(expiryDay < today, publicId);
    }
    const [row] = expired;
    const trace = await traceOf(String(row?.publicId));
    assert.deepEqual(
      trace.vouchers.map(({ status }) => status),
      ["expired"],
    );
    const { body } = await get(
      `/sql?query=${encodeURIComponent("select count(*) as n from voucher where status = 'expired'")}`,
    );
    assert.deepEqual(body.rows, [{ n: expired.length }]);
  });

  it("has the certificates', the pool's and the supplier's numbers", async () => {
    for (const row of await live.client.db.select().from(schema.certificate)) {
      const record = (await world.read("certificates", "certificateOf", [row.index])) as Record<string, unknown>;
      const { issued, allocated, recordedCount } = row;
      assert.deepEqual(
        { issued, allocated, recordedCount },
        { issued: record.issued, allocated: record.allocated, recordedCount: record.recordedCount },
      );
      assert.equal(row.status, "valid");
    }
    const [pool] = await live.client.db.select().from(schema.pool);
    assert.equal(pool?.carbonReserve, await world.read("pool", "carbonReserve", []));
    assert.equal(pool?.stablecoinReserve, await world.read("pool", "stablecoinReserve", []));
    assert.equal(pool?.fee, 100);
    const [supplier] = await live.client.db.select().from(schema.supplier).orderBy(asc(schema.supplier.index));
    assert.equal(supplier?.debt, await world.read("claims", "supplierDebt", [1]));
    const ofFirst = eq(schema.supplierStatus.supplierIndex, 1);
    const history = await live.client.db.select().from(schema.supplierStatus).where(ofFirst);
    assert.deepEqual(
      history.sort((a, b) => Number(a.sequence - b.sequence)).map(({ status }) => status),
      ["authorised", "suspended", "authorised", "suspended"],
    );
  });

  it("has the caps in force, and tells who was granted a role", async () => {
    const [scheme] = await live.client.db.select().from(schema.scheme);
    assert.equal(scheme?.pinCap, await world.read("vouchers", "pinCap", []));
    assert.equal(scheme?.lifecycleCap, await world.read("vouchers", "lifecycleCap", []));
    const plan = (await world.read("participants", "planOf", [0])) as { unconsentedCap: number };
    assert.equal(scheme?.defaultUnconsentedCap, BigInt(plan.unconsentedCap));
    const { activity } = schema;
    const granted = await live.client.db.select().from(activity).where(eq(activity.event, "RoleGranted"));
    const operator = privateKeyToAccount(world.contracts.keys.operator).address.toLowerCase();
    const roles = granted.filter(({ data }) => String(data.account).toLowerCase() === operator);
    assert.deepEqual(
      roles.map(({ data }) => data.roleId),
      ["3"],
      JSON.stringify(granted.map(({ data }) => data)),
    );
  });

  it("tells which codes were committed, and which authorisation a household cancelled", async () => {
    const { activity } = schema;
    const of = (event: string) => live.client.db.select().from(activity).where(eq(activity.event, event));
    const root = await world.read("vouchers", "codeRootOf", [story.loneVoucher]);
    const [committed] = await of("CodesCommitted");
    assert.deepEqual(
      [committed?.voucherId, committed?.batchIndex, committed?.data.root],
      [story.loneVoucher, null, root],
    );
    const [cancelled] = await of("AuthorizationCancelled");
    assert.deepEqual([cancelled?.householdIndex, cancelled?.data.nonce], [3, "7"]);
  });

  it("has the daily roots of the file store's audit", async () => {
    const [row, ...others] = await live.client.db.select().from(schema.auditRoot);
    assert.equal(others.length, 0);
    assert.equal(row?.root, await world.read("audits", "rootOf", [row?.day]));
    assert.equal(row?.day, await world.read("audits", "latestDay", []));
    assert.deepEqual([row?.chains, row?.events], [2n, 9n]);
  });

  it("has the parameters of the calculation, and which one supersedes which", async () => {
    const { parameter } = schema;
    const rows = await live.client.db
      .select()
      .from(parameter)
      .where(eq(parameter.key, "ZMB"))
      .orderBy(parameter.number);
    const count = Number(await world.read("parameters", "parameterCount", []));
    const subject = await world.read("parameters", "subjectOf", ["fnrb", "ZMB"]);
    assert.equal(await world.read("parameters", "latestOf", [subject]), count);
    assert.deepEqual(
      rows.map(({ number, value, decimals, supersededBy }) => [number, value, decimals, supersededBy]),
      [
        [rows[0]?.number, 4n, 1, count - 1],
        [count - 1, 38n, 2, count],
        [count, 36n, 2, null],
      ],
    );
    assert.deepEqual(
      [rows[0]?.sourceHash, rows[0]?.validTo, rows[2]?.validFrom, rows[2]?.validTo, rows[2]?.source],
      [null, null, 20_000, 21_000, "decision\ufffd"],
    );
    assert.equal((await live.client.db.select().from(parameter)).length, count);
  });

  it("has the oracles, their deposits and what was settled of them as the registry has them", async () => {
    const { db } = live.client;
    const id = keccak256(stringToHex(oracleDid));
    type OnChain = { price: bigint; owner: Hex; pendingOwner: Hex; settler: Hex; payee: Hex; wsUrl: string };
    const onChain = (await world.read("oracles", "oracleOf", [id])) as OnChain;
    const [row, ...others] = await db.select().from(schema.oracle);
    assert.equal(others.length, 0);
    const lower = (address: Hex | null | undefined) => address?.toLowerCase();
    const parties = [row?.owner, row?.pendingOwner, row?.settler, row?.payee].map(lower);
    const { price, owner, pendingOwner, settler, payee, wsUrl } = onChain;
    assert.deepEqual(parties, [owner, pendingOwner, settler, payee].map(lower));
    assert.deepEqual([row?.price, row?.freeMessages, row?.allowance, row?.wsUrl], [price, 3n, 4n, wsUrl]);
    assert.equal(row?.apiUrl, oracleUrl.replace("\0", "\ufffd"));
    assert.equal(row?.settledAmount, 5_000n);
    const [deposit, ...more] = await db.select().from(schema.oracleDeposit);
    assert.equal(more.length, 0);
    const args = [id, deposit?.payer];
    type Account = Record<"balance" | "withdrawing" | "withdrawableAt" | "acceptedPrice", bigint> & { user: Hex };
    const account = (await world.read("oracles", "accountOf", args)) as Account;
    for (const [name, value] of Object.entries(account)) assert.equal(deposit?.[name as keyof Account], value, name);
    assert.deepEqual([deposit?.depositedAmount, deposit?.settledAmount, deposit?.balance], [20_000n, 5_000n, 15_000n]);
    const claims = await db.select().from(schema.oracleClaim);
    const paid = claims.map(({ claimId, amount }) => [hexToString(claimId, { size: 32 }), amount]);
    assert.deepEqual(paid.sort(), [
      ["CLM-1", 2_000n],
      ["CLM-2", 3_000n],
    ]);
  });

  it("knows how each redemption ended", async () => {
    const rows = await live.client.db.select().from(schema.redemption);
    const ends = rows.map((row) => `${row.status}/${row.refundedTo}`).sort();
    assert.deepEqual(ends, [
      "invalidated/null",
      ...Array(3).fill("lapsed/voucher"),
      ...Array(2).fill("reversed/voucher"),
      ...Array(7).fill("settled/null"),
    ]);
  });

  it("tells every event once, in chain order, a redemption with the arguments that the chain logged", async () => {
    const rows = await live.client.db.select().from(schema.activity).orderBy(asc(schema.activity.sequence));
    assert.equal(new Set(rows.map(({ sequence }) => sequence)).size, rows.length);
    assert.ok(rows.every((row) => row.sequence === ((row.blockNumber << 24n) | BigInt(row.logIndex))));
    const { vouchers: address } = world.contracts.addresses;
    const client = createPublicClient({ transport: http(world.anvil.url) });
    const logged = await client.getContractEvents({ abi: vouchersAbi, address, fromBlock: 0n, strict: true });
    const told = rows.filter(({ event }) => event === "VoucherRedeemed");
    const chain = logged.filter((log) => log.eventName === "VoucherRedeemed");
    assert.deepEqual(
      told.map((row) => [row.transactionHash, row.logIndex, row.data]),
      chain.map(({ transactionHash, logIndex, args }) => [
        transactionHash,
        logIndex,
        { ...describeArguments(args), authorized: args.consent >= 2 },
      ]),
    );
    const [first] = told;
    const { redemption, supplier, product } = (chain[0]?.args ?? {}) as Record<string, bigint | number>;
    assert.deepEqual(
      [first?.redemptionId, first?.voucherId, first?.batchIndex, first?.supplierIndex, first?.productIndex],
      [redemption, story.batchVoucher(0), 1, supplier, product],
    );
  });

  it("continues after an unregistered account named a voucher of an impossible batch", async () => {
    const named = eq(schema.activity.voucherId, 2n ** 64n - 1n);
    const rows = await live.client.db.select().from(schema.activity).where(named);
    assert.deepEqual(
      rows.map(({ event, batchIndex }) => [event, batchIndex]),
      [["RedemptionRefused", null]],
    );
  });

  it("traces a claim up to its certificate and down to its payment, each link with its transaction", async () => {
    const trace = await traceOf(encodeClaimId(story.paidRedemption));
    assert.equal(trace.type, "claim");
    assert.equal(trace.certificate.certificateId, "CERT-456");
    assert.deepEqual(trace.vouchers[0]?.redemptions[0]?.claim?.payment?.amount, 2.5);
    assert.deepEqual(
      trace.links.slice(0, 5).map(({ from, to }) => `${from.type}>${to.type}`),
      ["certificate>voucher", "voucher>redemption", "redemption>claim", "claim>payment", "redemption>swap"],
    );
    for (const link of trace.links) {
      const receipt = await world.anvil.rpc("eth_getTransactionReceipt", [link.transactionHash]);
      assert.equal((receipt as { status: string }).status, "0x1");
    }
    assert.deepEqual(
      trace.history.map(({ event }) => event),
      ["VoucherRedeemed", "ClaimFiled", "ClaimPaid", "ClaimRefused"].sort(
        (a, b) =>
          trace.history.findIndex(({ event }) => event === a) - trace.history.findIndex(({ event }) => event === b),
      ),
    );
  });

  it("traces a voucher of a batch from its issue, and a cancelled one to the one that replaces it", async () => {
    const untouched = await traceOf(encodeVoucherId(story.batchVoucher(200)));
    assert.deepEqual(
      untouched.history.map(({ event }) => event),
      ["BatchIssued"],
    );
    const cancelled = await traceOf(encodeVoucherId(story.loneVoucher));
    assert.equal(cancelled.vouchers.length, 2);
    assert.equal(cancelled.vouchers[0]?.replacedBy, cancelled.vouchers[1]?.voucherId);
  });

  it("pages through the vouchers of a certificate", async () => {
    const seen = new Set<string>();
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Trace = await traceOf("CERT-456", `?limit=120${cursor && `&cursor=${cursor}`}`);
      for (const { voucherId } of page.vouchers) seen.add(voucherId);
      cursor = page.nextCursor;
    }
    assert.equal(seen.size, story.households);
  });

  it("has every campaign and every KPT claim as the contract has them", async () => {
    const rows = await live.client.db.select().from(schema.campaign).orderBy(asc(schema.campaign.index));
    assert.deepEqual(
      rows.map(({ campaignId, status, postponements }) => [campaignId, status, postponements]),
      [
        [postponedId, "committed", 1],
        [campaigns.campaignId, "closed", 0],
      ],
    );
    const names = ["none", "committed", "drawn", "closed", "abandoned"];
    for (const row of rows) {
      const chain = (await world.read("campaigns", "campaignOf", [row.index])) as Record<string, unknown>;
      const { referenceClaims, interventionClaims, sampleSize, twoParties } = row;
      const drawBlock = row.drawBlock ?? 0n;
      assert.deepEqual(
        { drawBlock, referenceClaims, interventionClaims, sampleSize, twoParties, status: row.status },
        {
          drawBlock: chain.drawBlock,
          referenceClaims: chain.referenceClaims,
          interventionClaims: chain.interventionClaims,
          sampleSize: chain.sampleSize,
          twoParties: chain.twoParties,
          status: names[Number(chain.status)],
        },
      );
      assert.deepEqual([row.referenceDrawnTo, row.interventionDrawnTo], chain.drawnTo);
      assert.deepEqual([row.referenceMissing, row.interventionMissing], chain.missing);
      assert.equal(row.termsVersion, chain.termsVersion);
      assert.deepEqual(
        [row.seed ?? zeroHash, row.resultHash ?? zeroHash, row.certificateIndex ?? 0],
        [chain.seed, chain.resultHash, chain.certificate],
      );
    }
    const parties = await live.client.db.select().from(schema.drawParty).orderBy(asc(schema.drawParty.sequence));
    assert.deepEqual(
      parties.map(({ campaignIndex, round, kind, secret, withheldAt }) => [
        campaignIndex,
        round,
        kind,
        secret !== null,
        withheldAt !== null,
      ]),
      [
        [1, 0, "operator", false, true],
        [1, 1, "operator", false, false],
        [2, 0, "second", true, false],
        [2, 0, "operator", true, false],
      ],
    );
    const discarded = await live.client.db
      .select()
      .from(schema.discardedDraw)
      .orderBy(asc(schema.discardedDraw.sequence));
    assert.deepEqual(
      discarded.map(({ campaignIndex, round, reason, secondParty, seed }) => [
        campaignIndex,
        round,
        reason,
        secondParty !== null,
        seed !== null,
      ]),
      [
        [1, 0, "secret-withheld", false, false],
        [1, 1, "block-lost", false, false],
      ],
    );
    for (const row of rows) {
      const draw = (await world.read("campaigns", "drawOf", [row.index])) as Record<string, unknown>;
      assert.deepEqual([row.drawRound, row.revealDeadline ?? 0n], [draw.round, draw.deadline]);
      for (const party of parties) {
        if (party.campaignIndex !== row.index || party.round !== row.drawRound) continue;
        const isOperator = party.kind === "operator";
        const [account, commitment, secret] = isOperator
          ? [draw.operator, draw.operatorCommitment, draw.operatorSecret]
          : [draw.party, draw.partyCommitment, draw.partySecret];
        const held = [party.account, party.commitment, party.secret ?? zeroHash];
        assert.deepEqual(held, [String(account).toLowerCase(), commitment, secret]);
      }
    }
    const claims = await live.client.db.select().from(schema.kptClaim).orderBy(asc(schema.kptClaim.sequence));
    assert.deepEqual(
      claims.map(({ id }) => id),
      campaigns.claims,
    );
    for (const row of claims) {
      const chain = await world.read("campaigns", "recordOf", [row.id]);
      assert.deepEqual([true, row.status === "revoked"], chain, row.publicId);
    }
    const refused = await live.client.db
      .select()
      .from(schema.activity)
      .where(eq(schema.activity.event, "KptClaimRefused"));
    assert.equal(refused.length, 3);
  });

  it("traces a campaign forward to its vouchers, and a voucher back to its campaign", async () => {
    const forth = await traceOf(campaigns.campaignId);
    assert.deepEqual([forth.type, forth.campaign?.status], ["campaign", "closed"]);
    assert.deepEqual(
      forth.kptClaims.map(({ status, testGroup, position }) => `${testGroup} ${position} ${status}`),
      [
        "reference 0 revoked",
        "reference 0 verified",
        ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((position) => `reference ${position} verified`),
        ...[0, 1, 3, 4, 5, 6, 7, 8, 10].map((position) => `intervention ${position} verified`),
      ],
    );
    assert.equal(forth.certificate.certificateId, campaigns.certificateId);
    assert.equal(forth.vouchers.length, 1);
    const steps = forth.links.map(({ from, to }) => `${from.type}>${to.type}`);
    const count = (step: string) => steps.filter((each) => each === step).length;
    const expected = ["campaign>draw", "draw>kpt-claim", "kpt-claim>result", "campaign>result", "result>certificate"];
    assert.deepEqual(expected.map(count), [1, 20, 19, 1, 1]);
    assert.deepEqual(
      forth.campaign?.groups.intervention.missing.map(({ position, reason }) => `${position} ${reason}`),
      ["9 moved"],
    );
    assert.deepEqual([forth.campaign?.terms, forth.campaign?.termsVersion], ['{"season":"wet"}', 2]);
    assert.equal(count("certificate>voucher"), 1);
    for (const { transactionHash } of forth.links) {
      const receipt = await world.anvil.rpc("eth_getTransactionReceipt", [transactionHash]);
      assert.equal((receipt as { status: string }).status, "0x1");
    }
    const told = forth.history.map(({ event }) => event);
    const drawing = ["DrawJoined", "DrawOpened", "SecretRevealed", "SecretRevealed", "CampaignDrawn"];
    assert.deepEqual(told.slice(0, 7), ["CampaignCommitted", "CampaignAmended", ...drawing]);
    assert.deepEqual(
      forth.campaign?.drawParties.map(({ kind, secret }) => `${kind} ${secret === null ? "silent" : "revealed"}`),
      ["second revealed", "operator revealed"],
    );
    assert.deepEqual(told.slice(-2), ["CampaignClosed", "CampaignCertified"]);

    const back = await traceOf(forth.vouchers[0]?.voucherId ?? "");
    assert.deepEqual([back.type, back.campaign?.campaignId], ["voucher", campaigns.campaignId]);
    assert.ok(back.links.some(({ from, to }) => from.type === "campaign" && to.type === "draw"));
    const certificate = await traceOf(campaigns.certificateId);
    assert.deepEqual([certificate.type, certificate.campaign?.campaignId], ["certificate", campaigns.campaignId]);
    assert.equal((await traceOf("CERT-456")).campaign, null);
  });

  it("traces a KPT claim by its id, up to its campaign and down to the certificate", async () => {
    const [first = 0n, second = 0n] = campaigns.claims;
    const revoked = await traceOf(encodeKptClaimId(first));
    assert.deepEqual([revoked.type, revoked.kptClaims[0]?.status], ["kpt-claim", "revoked"]);
    assert.ok(revoked.links.every(({ from }) => from.type !== "kpt-claim"));
    assert.deepEqual(
      revoked.history.map(({ event }) => event),
      ["KptClaimRecorded", "KptClaimRefused", "KptClaimRevoked"],
    );
    const standing = await traceOf(encodeKptClaimId(second));
    assert.equal(standing.certificate.certificateId, campaigns.certificateId);
    assert.ok(standing.links.some(({ from, to }) => from.type === "kpt-claim" && to.type === "result"));
    const open = await traceOf(postponedId, "?type=campaign");
    assert.deepEqual([open.campaign?.status, open.certificate, open.vouchers.length], ["committed", null, 0]);
    assert.equal((await get(`/reports/trace/${campaigns.campaignId}?type=certificate`)).status, 404);
    assert.equal((await get(`/reports/trace/${campaigns.campaignId}?type=voucher`)).status, 400);
  });

  it("pages through the claims of a campaign", async () => {
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages < 10; pages++) {
      const page: Trace = await traceOf(campaigns.campaignId, `?limit=3${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.kptClaims.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    const inOrder = [...campaigns.claims].sort((a, b) => (a < b ? -1 : 1));
    assert.deepEqual(seen, inOrder.map(encodeKptClaimId));
  });

  itmoCases(() => ({ world, live, itmos, get }));
  questionCases(() => ({ world, live, itmos, get }));

  it("answers an unknown or mistyped id with 404 in the one error shape", async () => {
    const id = encodeRedemptionId(story.paidRedemption);
    const slip = id.slice(0, -2) + (id.at(-2) === "1" ? "2" : "1") + id.at(-1);
    for (const unknown of ["CERT-none", encodeVoucherId(77n), slip, "REDM-1"]) {
      const { status, body } = await get(`/reports/trace/${unknown}`);
      assert.equal(status, 404);
      assert.deepEqual([body.error, body.code, body.statusCode], ["Not Found", "NOT_FOUND", 404]);
    }
    const { body } = await get(`/reports/trace/${slip}`);
    assert.match(String(body.message), /check symbol/);
    assert.equal((await get("/reports/trace/CERT-456?limit=0")).status, 400);
    assert.equal((await get("/reports/nothing")).status, 404);
  });

  it("answers GraphQL across the tables", async () => {
    const query = `{ redemption(id: "${story.paidRedemption}") { voucher { certificate { certificateId } }
      claim { payment { amount } } supplier { did } } }`;
    const response = await fetch(`${live.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    assert.deepEqual(((await response.json()) as { data: unknown }).data, {
      redemption: {
        voucher: { certificate: { certificateId: "CERT-456" } },
        claim: { payment: { amount: "2500000" } },
        supplier: { did: "did:ixo:supplier/456" },
      },
    });
  });

  it("answers GraphQL from a claim to the certificate of its campaign", async () => {
    const query = `{ kptClaim(id: "${campaigns.claims[1]}") { testGroup campaign { campaignId certificate { certificateId }
      plan { planId } replacements { totalCount } kptClaims { totalCount } } } }`;
    const response = await fetch(`${live.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query }),
    });
    assert.deepEqual(((await response.json()) as { data: unknown }).data, {
      kptClaim: {
        testGroup: "reference",
        campaign: {
          campaignId: campaigns.campaignId,
          certificate: { certificateId: campaigns.certificateId },
          plan: { planId: "PLAN-1" },
          replacements: { totalCount: 2 },
          kptClaims: { totalCount: campaigns.claims.length },
        },
      },
    });
  });

  it("lets anonymous clients read by SQL, and nothing else", async () => {
    const ask = (sql: string) => get(`/sql?query=${encodeURIComponent(sql)}`);
    const count = await ask("select count(*) as n from voucher where status = 'expired' and household in (20, 21)");
    assert.deepEqual((count.body.rows as unknown[])[0], { n: 2 });
    const refused = [
      "delete from voucher",
      "update voucher set remaining = 1",
      "with gone as (delete from voucher returning id) select count(*) from gone",
      "select count(*) from voucher; delete from voucher",
      "select pg_sleep(10)",
      `select "pg_sleep"(10)`,
      "select pg_read_file('/etc/passwd')",
      "select * from pg_authid",
      "select * from ponder_sync.logs",
      "select count(*) from voucher a, voucher b, voucher c, voucher d",
      "with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t",
      "select repeat('x', 1000000000)",
      `select U&"f\\0061ctorial"(100000)`,
      `select 1 as "'"; delete from voucher; select 1 as "'"`,
      "explain analyze select 1",
      "select v.row_to_json from voucher v",
      "select * from _ponder_meta",
      "select 'x' || 'y'",
      "select nothing from voucher",
      "",
    ];
    for (const sql of refused) {
      const { status, body } = await ask(sql);
      assert.equal(status, 400, sql);
      assert.equal(body.code, "INVALID_INPUT", sql);
    }
    const raw = await get(
      `/sql/db?sql=${encodeURIComponent(JSON.stringify({ json: { sql: "delete from voucher" } }))}`,
    );
    assert.equal(raw.status, 400);
    const { body } = await ask("select count(*) as n from voucher");
    assert.deepEqual((body.rows as unknown[])[0], { n: story.households + 5 });
    const { details } = (await ask("select nothing, pg_sleep(1) from pg_class")).body as { details: Detail[] };
    assert.deepEqual(details.map(({ rule }) => rule).sort(), ["function", "name", "table"]);
  });

  it("lists the tables and columns that anonymous clients may read", async () => {
    const { tables } = (await get("/sql/tables")).body as { tables: Table[] };
    const names = tables.map(({ name }) => name);
    assert.ok(names.includes("voucher") && names.includes("activity") && !names.some((name) => name.startsWith("_")));
    const voucher = tables.find(({ name }) => name === "voucher");
    assert.deepEqual(voucher?.columns[0], { name: "id", type: "numeric", nullable: false });
  });

  it("reports to the regulator that nothing is counted twice, by the rows and by the contracts' own state", async () => {
    const block = await live.client.block();
    await assertReports(live.url, block?.timestamp ?? 0);
  });

  it("shows a new row soon after its block", async () => {
    const begin = performance.now();
    await world.send("registrar", "participants", "setSupplierStatus", [1, true, "visible"]);
    const mined = performance.now();
    for (;;) {
      const [row] = await live.client.db.select().from(schema.supplier).where(eq(schema.supplier.index, 1));
      if (row?.status === "authorised") break;
      assert.ok(performance.now() - mined < 10_000, "the row was not there after 10 s");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    console.log(
      `mined after ${Math.round(mined - begin)} ms, visible ${Math.round(performance.now() - mined)} ms later`,
    );
  });

  it("keeps what the implementer of a revoked certificate owes, and each change of it", async () => {
    const { send, read } = world;
    const [one, voucher] = [1_000_000n, story.loneVoucher + 1n];
    await send("operator", "vouchers", "redeem", [{ voucher, supplier: 1, product: 1, amount: 10n * one }]);
    const certificateNow = async () => {
      const [row] = await live.client.db.select().from(schema.certificate).where(eq(schema.certificate.index, 2));
      return [row?.status, row?.revocationFinalAt, row?.halted];
    };
    const guardian = privateKeyToAccount(toHex(1n, { size: 32 })).address;
    await send("deployer", "participants", "grantRole", [1n, guardian, 0]);
    await send("registrar", "certificates", "setCertificateStatus", [2, 4, "stolen key"]);
    const veto = await send("adjudicator", "certificates", "vetoRevocation", [2, "not agreed"]);
    await waitForBlock(live, veto.blockNumber);
    assert.deepEqual(await certificateNow(), ["suspended", null, true]);
    const told = await live.client.db
      .select()
      .from(schema.activity)
      .where(eq(schema.activity.transactionHash, veto.transactionHash))
      .orderBy(asc(schema.activity.sequence));
    assert.deepEqual(
      [told[0]?.event, told[0]?.data],
      ["CertificateStatusChanged", { certificate: 2, status: 3, reason: "not agreed", vetoed: true }],
    );
    const revoked = await send("registrar", "certificates", "setCertificateStatus", [2, 4, "wrong"]);
    await waitForBlock(live, revoked.blockNumber);
    const day = BigInt((await read("vouchers", "revocationFinalFrom", [2])) as number);
    assert.deepEqual(await certificateNow(), ["revoked", day * 86_400n, true]);
    await world.anvil.rpc("evm_increaseTime", [2 * 86_400]);
    await world.anvil.rpc("evm_mine", []);
    await send("operator", "claims", "claim", [(voucher << 32n) | 1n, keccak256(stringToHex("good faith"))]);
    await send("adjudicator", "vouchers", "burnRevoked", [2, [{ voucher, household: 0, value: 0n, proof: [] }]]);
    await send("deployer", "carbon", "approve", [world.contracts.addresses.certificates, 10n * one]);
    await send("deployer", "certificates", "repayDebt", [1, 2n * one]);
    const last = await send("deployer", "certificates", "replaceCarbon", [1, 3n * one]);
    await waitForBlock(live, last.blockNumber);
    const changes = await live.client.db
      .select()
      .from(schema.implementerDebt)
      .orderBy(asc(schema.implementerDebt.sequence));
    assert.deepEqual(
      changes.map(({ kind, certificateIndex, payer }) => [kind, certificateIndex, payer !== null]),
      [
        ["revocation", 2, false],
        ["veto", 2, false],
        ["revocation", 2, false],
        ["burn", 2, false],
        ["claim", 2, false],
        ["burn", 2, false],
        ["repayment", null, true],
        ["replacement", null, true],
      ],
    );
    const [row] = await live.client.db.select().from(schema.implementer).where(eq(schema.implementer.index, 1));
    const owed = [await read("certificates", "debtOf", [1]), await read("certificates", "replacementOf", [1])];
    assert.deepEqual([row?.debt, row?.replacement], owed);
    assert.ok(Number(row?.debt) > 0 && row?.replacement === 7n * one);
    assert.deepEqual([changes.at(-1)?.debt, changes.at(-1)?.replacement], owed);
    const paid = await live.client.db.select().from(schema.eventLog);
    const sumOf = (name: string) =>
      paid.filter(({ event }) => event === name).reduce((sum, { data }) => sum + BigInt(String(data.amount)), 0n);
    assert.deepEqual([row?.repaid, row?.replaced], [sumOf("DebtRepaid"), sumOf("CarbonReplaced")]);
    assert.ok(Number(row?.repaid) > 0 && Number(row?.replaced) > 0);
    const [burned] = await live.client.db.select().from(schema.voucher).where(eq(schema.voucher.id, voucher));
    assert.deepEqual([burned?.status, burned?.remaining], ["revoked", 0n]);
    const [pool] = await live.client.db.select().from(schema.pool);
    assert.equal(pool?.carbonReserve, await read("pool", "carbonReserve", []));
    await assertExceptions(live.url, { certificateReason: "wrong", implementerDebt: row?.debt ?? 0n });
  });

  it("keeps what was taken away of an authorization, and each change of it", async () => {
    const { send, read } = world;
    const left = async () => {
      const [row] = await live.client.db.select().from(schema.itmoAuthorization);
      return [row?.leftPurpose, row?.leftQuantity, row?.reductionFinalAt];
    };
    const { firstTransferred } = (await read("authorizations", "reductionOf", [1])) as { firstTransferred: bigint };
    const reduced = await send("registrar", "authorizations", "reduce", [1, 1, 6n, "letter 2"]);
    await waitForBlock(live, reduced.blockNumber);
    const { finalFrom } = (await read("authorizations", "reductionOf", [1])) as { finalFrom: number };
    assert.deepEqual(await left(), ["NDC", 6n, BigInt(finalFrom) * 86_400n]);
    const vetoed = await send("adjudicator", "authorizations", "veto", [1, "not agreed"]);
    await waitForBlock(live, vetoed.blockNumber);
    assert.deepEqual(await left(), [null, null, null]);
    const revoked = await send("registrar", "authorizations", "revoke", [1, "letter 3"]);
    await waitForBlock(live, revoked.blockNumber);
    assert.deepEqual(await left(), [null, firstTransferred, BigInt(finalFrom) * 86_400n]);
    const changes = await live.client.db
      .select()
      .from(schema.authorizationChange)
      .orderBy(asc(schema.authorizationChange.sequence));
    assert.deepEqual(
      changes.map(({ kind, purpose, quantity, reason }) => [kind, purpose, quantity, reason]),
      [
        ["reduction", "NDC", 6n, "letter 2"],
        ["veto", null, null, "not agreed"],
        ["revocation", null, firstTransferred, "letter 3"],
      ],
    );
    const answer = await fetch(`${live.url}/reports/double-counting`);
    const { checks } = (await answer.json()) as { checks: { id: string; ways: object }[] };
    const kept = checks.find(({ id }) => id === "reductions-kept");
    assert.deepEqual(kept?.ways, { events: "ok", chain: "ok" });
  });

  it("keeps what the invalidation buffer holds, cancels and releases", async () => {
    const { send, read, contracts, anvil } = world;
    const tonne = 1_000_000_000n;
    const code = (text: string) => stringToHex(text);
    const authorization = {
      authorizationId: "ZMB-2026-0002",
      approach: 1,
      date: 19_000,
      quantity: 100n,
      purpose: 1,
      firstTransfer: 0,
      firstYear: 2021,
      lastYear: 2030,
      omgeShare: 0,
      sopShare: 0,
      entities: [{ name: "Buyer AG", country: code("CHE"), entityId: "CHE-100", implementer: 0 }],
      terms: "{}",
    };
    await send("registrar", "itmo", "registerAuthorization", [authorization]);
    await send("deployer", "invalidationBuffer", "setTerms", [2_000, 1]);
    const cost = (await read("pool", "quoteBuyFor", [2n * tonne])) as bigint;
    const account = privateKeyToAccount(contracts.keys.deployer).address;
    await send("deployer", "stablecoin", "mint", [account, cost]);
    await send("deployer", "stablecoin", "approve", [contracts.addresses.pool, cost]);
    await send("deployer", "pool", "buyCarbon", [2, cost, 0n, 2n ** 63n]);
    const order = { implementer: 2, amount: tonne, authorization: 2, vintage: 2023 };
    for (const conversion of [4, 5]) {
      const serial = BigInt(conversion) * 100n + 1n;
      await send("deployer", "itmo", "requestConversion", [order]);
      await send("registrar", "itmo", "finalise", [conversion, code(itmos.registryId), serial, serial, 0]);
    }
    const passDays = async (days: number) => {
      await anvil.rpc("evm_increaseTime", [days * 86_400]);
      await anvil.rpc("evm_mine", []);
    };
    await passDays(1);
    await send("operator", "invalidationBuffer", "release", [4]);
    const lots = (await read("certificates", "lotsOf", [contracts.addresses.itmo, 5])) as { certificate: number }[];
    for (const { certificate } of lots)
      await send("registrar", "certificates", "setCertificateStatus", [certificate, 4, "measured wrongly"]);
    await passDays(2);
    const last = await send("operator", "invalidationBuffer", "cancelRevoked", [5]);
    await waitForBlock(live, last.blockNumber);
    const holds = await live.client.db.select().from(schema.bufferHold).orderBy(asc(schema.bufferHold.conversionIndex));
    assert.deepEqual(
      holds.map(({ conversionIndex, quantity, held, cancelled, released }) => [
        conversionIndex,
        quantity,
        held,
        cancelled,
        released,
      ]),
      [
        [4, 1n, 0n, 0n, 1n],
        [5, 1n, 0n, 1n, 0n],
      ],
    );
    const onChain = (await read("invalidationBuffer", "holdOf", [4])) as { heldUntil: number };
    assert.equal(holds[0]?.heldUntil, BigInt(onChain.heldUntil));
    const changes = await live.client.db.select().from(schema.bufferChange).orderBy(asc(schema.bufferChange.sequence));
    assert.deepEqual(
      changes.map(({ kind, certificateIndex }) => [kind, certificateIndex]),
      [
        ["release", null],
        ["cancellation", lots[0]?.certificate],
      ],
    );
    const blocks = await live.client.db.select().from(schema.itmoBlock).where(gte(schema.itmoBlock.conversionIndex, 4));
    assert.deepEqual(
      blocks.map(({ status, firstTransfer }) => [status, firstTransfer]),
      [
        ["held", null],
        ["cancelled", null],
      ],
    );
    const answer = await fetch(`${live.url}/reports/double-counting`);
    const { checks } = (await answer.json()) as { checks: { id: string; ways: object; status: string }[] };
    assert.deepEqual(checks.find(({ id }) => id === "buffer-by-rule")?.ways, { events: "ok", chain: "ok" });
    assert.equal(checks.find(({ id }) => id === "holdings-follow-blocks")?.status, "ok");
  });

  it("expires a voucher with the first block of the next day, without an event", async () => {
    const { anvil } = world;
    const rows = await live.client.db.select().from(schema.voucher).where(eq(schema.voucher.status, "active"));
    const lastDay = Math.max(...rows.map(({ expiryDay }) => expiryDay));
    assert.ok(rows.length > 0, "no voucher is left to expire");
    // Stay clear of every 20th block, which expires vouchers while the index catches up.
    const blocksAfter = async () => Number(await anvil.rpc("eth_blockNumber")) % 20;
    while ((await blocksAfter()) !== 10) await anvil.rpc("evm_mine", []);
    await anvil.rpc("evm_setNextBlockTimestamp", [(lastDay + 1) * 86_400]);
    await anvil.rpc("evm_mine", []);
    const height = BigInt((await anvil.rpc("eth_blockNumber")) as string);
    await waitForBlock(live, height);
    const left = await live.client.db.select().from(schema.voucher).where(eq(schema.voucher.status, "active"));
    assert.deepEqual(left, []);
    const trace = await traceOf(String(rows[0]?.publicId));
    assert.equal(trace.vouchers[0]?.status, "expired");
  });

  it("has the same rows when rebuilt from genesis, and after kill -9, without waiting for a lock", async () => {
    const height = BigInt((await world.anvil.rpc("eth_blockNumber")) as string);
    await waitForBlock(live, height);
    const watched = await readAllRows(live);
    const rebuilt = await startIndexerOn(world, join(world.folder, "rebuilt"));
    try {
      await waitForBlock(rebuilt, height);
      const rows = await readAllRows(rebuilt);
      assert.deepEqual(countsOf(rows), countsOf(watched));
      assert.equal(countsOf(rows).voucher, story.households + 5);
      assert.deepEqual(rows, watched);
      for (const [name, list] of Object.entries(rows)) assert.ok(list.length > 0, `the story leaves ${name} empty`);
    } finally {
      await rebuilt.stop();
    }
    await live.stop("SIGKILL");
    live = await startIndexerOn(world, join(world.folder, "live"));
    assert.equal(live.rebuilt, undefined);
    await waitForBlock(live, height);
    assert.deepEqual(await readAllRows(live), watched);
    console.log(`ready ${Math.round(live.startedIn)} ms after a kill`);
  });
});
