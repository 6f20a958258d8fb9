import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import type { ChainState, ViewCall } from "../../../indexer/reports/chain-state.ts";
import { carryOut } from "../../../indexer/reports/checks/check.ts";
import { checkDoubleCounting, checks } from "../../../indexer/reports/checks/double-counting.ts";
import { codeBytes } from "../../../wire/src/code-text.ts";
import type { CheckResult } from "../../../wire/src/reports.ts";
import { type ReportDatabase, shareReportDatabase } from "./database.ts";
import { addresses, insertScene, now, tonne } from "./scene.ts";

const blocks: Record<string, unknown[]> = {
  1: [2n, "CHE", 2, 1],
  3: [4n, "CHE", 1, 1],
  5: [6n, "ZMB", 3, 4],
  7: [10n, "ZMB", 1, 0],
};

/** What the contracts of the scene answer, by view and first argument. */
function responseOf({ contract, view, args }: ViewCall): unknown {
  if (view === "certificateOf") return { verifiedReduction: 100n * tonne, issued: 60n * tonne };
  if (view === "lotOf") return Number(args[0]) === 1 ? [2025, 40n * tonne, 10n * tonne] : [2025, 0n, 0n];
  if (view === "authorizationOf") return { quantity: 20n, committed: 10n, issued: 10n };
  if (view === "reductionOf") return { purpose: 0, quantity: 0n, finalFrom: 0, firstTransferred: 6n };
  if (view === "blockOf") {
    const [lastId, party, status, firstTransfer] = blocks[String(args[0])] ?? [];
    return { lastId, party: codeBytes(String(party)), status, firstTransfer };
  }
  const sums: Record<string, bigint> = {
    "carbon.totalSupply": 50n * tonne,
    "carbon.balanceOf": args[0] === addresses.vouchers ? 20n * tonne : 0n,
    "vouchers.escrowed": 20n * tonne,
  };
  return sums[`${contract}.${view}`] ?? 0n;
}

type Altered = { view: string; change: (answer: unknown) => unknown };

const chainWith = (altered?: Altered): ChainState => ({
  block: 40n,
  addresses,
  read: async (calls) => ({
    answers: calls.map((call) => (call.view === altered?.view ? altered.change(responseOf(call)) : responseOf(call))),
  }),
});
const silent: ChainState = { ...chainWith(), read: async () => ({ answers: null, reason: "the state is pruned." }) };

/** For each check: a change of the rows that violates it, and, where data may be missing, one that leaves it open. */
const changes: Record<string, { violate: string; hide?: string }> = {
  "certificate-over-issue": { violate: `update certificate set issued = verified_reduction + 1 where "index" = 2` },
  "vouchers-within-certificate": {
    violate: "update voucher set remaining = 60000000001",
    hide: `delete from certificate where "index" = 1`,
  },
  "issued-within-verified": { violate: "update certificate set issued = verified_reduction + 1" },
  "revoked-debts-paid": { violate: "update implementer set debt = 1" },
  "overlapping-serials": { violate: `update certificate set last_serial = 2000 where "index" = 1` },
  "credential-reuse": { violate: "update claim set credential_hash = (select min(credential_hash) from certificate)" },
  "campaign-certified-once": {
    violate: `insert into campaign select other.* from campaign,
      jsonb_populate_record(campaign, '{"index": 2, "campaign_id": "K-2", "sequence": 2}') as other`,
  },
  "household-period-certified-once": {
    violate: `insert into allocation_chunk (certificate, chunk, root, total, count, leaves, transaction_hash) values
      (1, 1000, '0x', 1, 2, '0x000000070000000000000001000000080000000000000001', '0x'),
      (2, 1000, '0x', 1, 1, '0x000000080000000000000001', '0x')`,
  },
  "voucher-overspent": {
    violate: "update redemption set amount = amount + 1",
    hide: "delete from voucher",
  },
  "payment-settles-claim": {
    violate: "update payment set carbon_amount = carbon_amount + 1",
    hide: "delete from claim",
  },
  "carbon-supply": { violate: "update carbon_move set amount = amount + 1 where kind = 'release'" },
  "carbon-minted-as-issued": {
    violate: "update carbon_move set amount = 100000000001 where kind = 'release'",
    hide: "update carbon_move set certificate = null",
  },
  "conversion-burned-once": { violate: "update carbon_move set amount = amount * 2 where kind = 'conversion'" },
  "underlying-units-claimed-once": {
    violate: "update certificate set verified_reduction = 9999999999",
  },
  "lots-of-vintage": { violate: `update certificate set vintage = 2024 where "index" = 1` },
  "authorised-quantity": {
    violate: "update itmo_conversion set quantity = 21",
    hide: "delete from itmo_authorization_version",
  },
  "reductions-kept": {
    violate: `insert into authorization_change values (5, 1, 'revocation', null, 0, ${now}, 'Letter', ${now}, '0x1')`,
  },
  "mandatory-shares": {
    violate: `insert into parameter values (1, 'mechanism', 'CA0001', 2, 0, 'article-6.4', 'Letter', null, 0, null, null, 0, '0x')`,
  },
  "units-authorised": {
    violate: "update itmo_action set authorization_id = 'AUTH-9' where sequence = 31::bigint << 24",
  },
  "using-entities-authorised": { violate: "delete from authorized_entity" },
  "use-year-in-ndc-period": {
    violate: "update itmo_action set ndc_year = 2031 where ndc_year is not null",
    hide: "update itmo_action set ndc_year = null",
  },
  "used-vintage-in-ndc-period": {
    violate: "update itmo_action set vintage = 2020 where ndc_year is not null",
    hide: "delete from itmo_authorization",
  },
  vintage: { violate: "update itmo_conversion set vintage = 2027", hide: "delete from itmo_authorization" },
  "itmo-range-overlap": { violate: "update itmo_block set last_id = 3 where id = 1" },
  "itmo-ranges-conserved": {
    violate: "update itmo_block set first_id = 8 where id = 7",
    hide: "update itmo_conversion set first_id = null",
  },
  "consumed-still-held": { violate: "update itmo_block set status = 'held' where id = 5" },
  "itmo-used-once": {
    violate: "update itmo_action set action = 'Cancellation' where sequence = 33::bigint << 24",
  },
  "first-transfer-once": { violate: "update itmo_block set first_transfer = null where id = 3" },
  "holdings-follow-blocks": { violate: "update itmo_holding set party = 'CHE' where block = 7" },
  "buffer-by-rule": { violate: "insert into buffer_terms values (1, 1000, 30, 1, 0, '0x1')" },
  "block-attributes": { violate: "update itmo_action set vintage = 2024", hide: "delete from itmo_block" },
};

describe("the checks of double counting", () => {
  let database: ReportDatabase;
  before(async () => {
    database = await shareReportDatabase();
    await insertScene(database);
  });
  beforeEach(() => database.run("begin"));
  afterEach(() => database.run("rollback"));

  const find = (results: CheckResult[], id: string) => results.find((each) => each.id === id);
  const look = async (chain = chainWith()) => (await checkDoubleCounting(database.ask, () => chain)).checks;
  const lookAt = async (id: string, chain = chainWith()): Promise<CheckResult> => {
    const check = checks.find((each) => each.id === id);
    assert.ok(check);
    return carryOut(database.ask, () => chain, check);
  };

  it("are all ok in an honest world, at the block that the index stands at", async () => {
    const report = await checkDoubleCounting(database.ask, () => chainWith());
    assert.equal(report.block, 40n);
    assert.deepEqual(
      report.checks.filter(({ status }) => status !== "ok"),
      [],
    );
    assert.ok(report.checks.every(({ examined }) => examined > 0));
    assert.equal(new Set(report.checks.map(({ id }) => id)).size, checks.length);
  });

  it("are null, each with a reason, where there is nothing to examine", async () => {
    await database.clear();
    for (const { id, status, reason, violations } of await look()) {
      assert.equal(status, null, id);
      assert.match(reason ?? "", /nothing to examine/, id);
      assert.deepEqual(violations, []);
    }
  });

  it("have each a change that violates it", () => {
    assert.deepEqual(Object.keys(changes).sort(), checks.map(({ id }) => id).sort());
  });

  for (const [id, { violate, hide }] of Object.entries(changes)) {
    it(`find that ${id} is violated`, async () => {
      await database.run(violate);
      const { status, violations, ways } = await lookAt(id);
      assert.deepEqual([status, ways.events], ["violated", "violated"]);
      assert.ok(violations.length > 0);
    });
    if (hide === undefined) continue;
    it(`leave ${id} open where data is missing`, async () => {
      await database.run(hide);
      const result = await lookAt(id);
      assert.deepEqual([result.status, result.ways.events], [null, null], JSON.stringify(result));
      assert.ok(result.reason);
    });
  }

  for (const [id, altered] of Object.entries({
    "certificate-over-issue": { view: "certificateOf", change: () => ({ verifiedReduction: 1n, issued: 2n }) },
    "authorised-quantity": { view: "authorizationOf", change: () => ({ quantity: 9n, committed: 10n, issued: 10n }) },
    "reductions-kept": {
      view: "reductionOf",
      change: (answer: unknown) => ({ ...(answer as object), firstTransferred: 7n }),
    },
    "carbon-supply": { view: "totalSupply", change: () => 51n * tonne },
    "consumed-still-held": { view: "blockOf", change: (answer: unknown) => ({ ...(answer as object), status: 1 }) },
  })) {
    it(`find that ${id} is violated by the chain's own state`, async () => {
      const { status, ways } = await lookAt(id, chainWith(altered));
      assert.deepEqual([status, ways], ["violated", { events: "ok", chain: "violated" }]);
    });

    it(`say that the chain's state could not be compared for ${id}`, async () => {
      const { ways, reason } = await lookAt(id, silent);
      assert.deepEqual(ways, { events: "ok", chain: null });
      assert.match(reason ?? "", /the state is pruned/);
    });
  }

  it("compare a certificate without allocations, by its voucher's household, with those of campaigns only", async () => {
    const id = "household-period-certified-once";
    await database.run(`insert into allocation_chunk (certificate, chunk, root, total, count, leaves, transaction_hash) values
      (1, 1000, '0x', 1, 1, '0x000000070000000000000001', '0x')`);
    await database.run(`update certificate set allocation_count = case "index" when 2 then 0 else 1 end`);
    await database.run("update voucher set certificate = 2, household = 7");
    assert.equal((await lookAt(id)).status, "violated");
    await database.run("update voucher set household = 8");
    assert.equal((await lookAt(id)).status, "ok");
    await database.run("update voucher set household = 7");
    await database.run("update campaign set certificate = null");
    assert.equal((await lookAt(id)).status, "ok");
  });

  it("take a gift of CARBON to a contract for no violation, and CARBON that is missing for one", async () => {
    await database.run(`insert into carbon_move select 99, 'transfer', from_account, to_account, 5, 0, 0, null, null, null, null,
      null, null, block_number, moved_at, transaction_hash from carbon_move where kind = 'release'`);
    await database.run("update carbon_move set from_account = to_account, to_account = $1 where sequence = 99", [
      addresses.vouchers,
    ]);
    await database.run("update carbon_account set received = received + 5 where account = $1", [addresses.vouchers]);
    await database.run("update carbon_account set sent = sent + 5 where account like '%aa'");
    const given = chainWith({ view: "balanceOf", change: (answer) => (answer === 0n ? 0n : 20n * tonne + 5n) });
    assert.equal((await lookAt("carbon-supply", given)).status, "ok");
    const owing = chainWith({ view: "escrowed", change: (answer) => (answer as bigint) + 1n });
    assert.equal((await lookAt("carbon-supply", owing)).status, "violated");
  });

  it("take no difference for a violation while blocks come in, and one that stays for one", async () => {
    const check = checks.find(({ id }) => id === "carbon-supply");
    assert.ok(check);
    let block = 40n;
    const older = { view: "totalSupply", change: () => 51n * tonne };
    const late: ChainState = {
      ...chainWith(older),
      async read(calls) {
        // The rows of the next block are in before the first answer.
        block += 1n;
        await database.standAt(block, now);
        return (block > 41n ? chainWith() : chainWith(older)).read(calls);
      },
    };
    const { status, ways } = await carryOut(database.ask, () => late, check);
    assert.deepEqual([status, ways.chain], ["ok", "ok"]);
    const racing: ChainState = {
      ...late,
      async read(calls) {
        block += 1n;
        await database.standAt(block, now);
        return chainWith(older).read(calls);
      },
    };
    const open = await carryOut(database.ask, () => racing, check);
    assert.equal(open.ways.chain, null);
    assert.match(open.reason ?? "", /faster than they could be compared/);
  });

  it("tell at most a hundred violations of a check", async () => {
    await database.run(`insert into itmo_action select sequence + n, block, conversion, itmo_authorization, action, subtype,
      cooperative_approach_id, 'AUTH-9', first_transferring_party, registry_id, first_id, last_id, quantity, vintage,
      transferring_party, acquiring_party, using_party, using_entity, purpose, ndc_year, note, block_number, acted_at,
      transaction_hash from itmo_action, generate_series(1, 200) as n`);
    const results = await look();
    assert.equal(find(results, "units-authorised")?.violations.length, 100);
  });
});
