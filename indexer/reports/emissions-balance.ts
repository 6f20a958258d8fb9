import { codeText } from "../../wire/src/code-text.ts";
import type { EmissionsBalanceLine, EmissionsBalanceReport } from "../../wire/src/reports.ts";
import { itmoBlockStatuses, wordAt } from "../schema/itmo-words.ts";
import { type Ask, big, endOf, int, text, textOrNull } from "./ask.ts";
import { type ChainState, mostViews } from "./chain-state.ts";
import { twoWays } from "./two-ways.ts";

type BalanceLine = EmissionsBalanceLine<bigint>;

const lines = `select 1 as sign, 'first transferred' as kind, cooperative_approach_id, authorization_id, subtype,
    sum(quantity)::text as tonnes, count(*)::integer as actions
  from itmo_action where action = 'First transfer' and first_transferring_party = $1 and vintage = $2 and sequence < $3
  group by cooperative_approach_id, authorization_id, subtype
union all
select -1, 'used towards NDC', cooperative_approach_id, authorization_id, null, sum(quantity)::text, count(*)::integer
  from itmo_action where action = 'Use' and using_party = $1 and ndc_year = $2 and sequence < $3
  group by cooperative_approach_id, authorization_id
order by kind, cooperative_approach_id, authorization_id, subtype`;

type OnChain = {
  firstId: bigint;
  lastId: bigint;
  vintage: number;
  party: `0x${string}`;
  status: number;
  firstTransfer: number;
};
type Counted = { firstTransferred: bigint; used: bigint };

/** Sum up the contract's blocks: first transfers of the vintages, and uses towards an NDC. The index says which blocks exist; their state is read from the contract. */
export async function countOnChain(
  ask: Ask,
  chain: ChainState,
  { party, firstYear, lastYear }: { party: string; firstYear: number; lastYear: number },
): Promise<Counted | { reason: string }> {
  const rows = await ask(
    `select id::text as id, first_transferring_party from itmo_block
     where ((first_transferring_party = $1 and vintage between $2 and $4) or (party = $1 and first_transferring_party <> $1))
       and sequence < $3
     order by id limit ${mostViews + 1}`,
    [party, firstYear, endOf(chain.block), lastYear],
  );
  if (rows.length > mostViews) return { reason: `There are more than ${mostViews} blocks to read.` };
  const told = await chain.read(rows.map(({ id }) => ({ contract: "itmo", view: "blockOf", args: [big(id)] })));
  if (told.answers === null) return { reason: told.reason };
  const counted = { firstTransferred: 0n, used: 0n };
  for (const [i, row] of rows.entries()) {
    const { firstId, lastId, vintage, party: holder, status, firstTransfer } = told.answers[i] as OnChain;
    const tonnes = lastId - firstId + 1n;
    const isOwn = row.first_transferring_party === party && firstYear <= vintage && vintage <= lastYear;
    if (isOwn && firstTransfer !== 0) counted.firstTransferred += tonnes;
    const isUsed = wordAt(itmoBlockStatuses, status) === "used-for-ndc" && codeText(holder) === party;
    if (isUsed) counted.used += tonnes;
  }
  return counted;
}

const sum = (all: BalanceLine[], sign: 1 | -1): bigint =>
  all.filter((line) => line.sign === sign).reduce((total, { tonnes }) => total + tonnes, 0n);

/**
 * Compute a Party's emissions balance of a year, tonnes CO2e: first transferred minus used towards its NDC. Source: decision
 * 2/CMA.3, annex, paragraph 8: what was first transferred counts in the year in which the reduction occurred (its vintage), what
 * was used in the year of the NDC that it was used towards.
 */
export async function balanceEmissions(
  ask: Ask,
  chain: ChainState,
  asked: { party: string; year: number },
): Promise<EmissionsBalanceReport<bigint>> {
  const before = endOf(chain.block);
  const rows = await ask(lines, [asked.party, asked.year, before]);
  const all: BalanceLine[] = rows.map((row) => ({
    sign: int(row.sign) === 1 ? 1 : -1,
    kind: text(row.kind) as BalanceLine["kind"],
    cooperativeApproachId: text(row.cooperative_approach_id),
    authorizationId: text(row.authorization_id),
    subtype: textOrNull(row.subtype),
    tonnes: big(row.tonnes),
    actions: int(row.actions),
  }));
  const [everUsed] = await ask(
    `select coalesce(sum(quantity), 0)::text as tonnes from itmo_action
     where action = 'Use' and using_party = $1 and ndc_year is not null and sequence < $2`,
    [asked.party, before],
  );
  const { party, year } = asked;
  const onChain = await countOnChain(ask, chain, { party, firstYear: year, lastYear: year });
  const [first, used] = [sum(all, 1), sum(all, -1)];
  const told = "reason" in onChain ? null : onChain;
  const why = "reason" in onChain ? onChain.reason : undefined;
  return {
    ...asked,
    block: chain.block,
    firstTransferred: twoWays(first, told?.firstTransferred ?? null, why),
    usedTowardsNdc: twoWays(used, null, "The contract does not store the year of a use; see usedTowardsNdcInAllYears."),
    usedTowardsNdcInAllYears: twoWays(big(everUsed?.tonnes), told?.used ?? null, why),
    balance: first - used,
    lines: all,
  };
}
