import type { CheckViolation } from "../../../wire/src/reports.ts";
import { mandatoryShares } from "../../schema/article-6-words.ts";
import { itmoPurposes, wordAt } from "../../schema/itmo-words.ts";
import { type Ask, big, int, text } from "../ask.ts";
import { type ChainState, mostViews } from "../chain-state.ts";
import { mechanismOf } from "../mechanism.ts";
import type { ChainVerdict, RowCheck } from "./check.ts";

const anyConversion = "select count(*) as n from itmo_conversion";

type OnChain = { quantity: bigint; committed: bigint; issued: bigint };

async function authorizationsOnChain(ask: Ask, chain: ChainState): Promise<ChainVerdict> {
  const rows = await ask(
    `select "index", authorization_id, quantity::text as quantity, committed::text as committed, issued::text as issued
     from itmo_authorization order by "index" limit ${mostViews + 1}`,
  );
  if (rows.length > mostViews) return { violations: null, reason: `there are more than ${mostViews} authorizations.` };
  const calls = rows.map(({ index }) => ({ contract: "itmo" as const, view: "authorizationOf", args: [int(index)] }));
  const told = await chain.read(calls);
  if (told.answers === null) return { violations: null, reason: told.reason };
  const violations: CheckViolation[] = [];
  for (const [i, row] of rows.entries()) {
    const onChain = told.answers[i] as OnChain;
    const names = ["quantity", "committed", "issued"] as const;
    const isEqual = names.every((name) => big(row[name]) === onChain[name]);
    if (isEqual && onChain.committed <= onChain.quantity && onChain.issued <= onChain.committed) continue;
    const chainSays = names.map((name) => `${name} ${onChain[name]}`).join(", ");
    violations.push({ authorization_id: text(row.authorization_id), chain: chainSays });
  }
  return { violations };
}

const quantity: RowCheck = {
  id: "authorised-quantity",
  title: "What was converted under an authorization is within the quantity that it authorizes",
  examined: "select count(*) as n from itmo_authorization",
  violations: `select z.authorization_id, z.quantity::text as authorised, coalesce(s.committed, 0)::text as converted,
      coalesce(s.issued, 0)::text as minted, z.committed::text as counted, z.issued::text as counted_as_minted
    from itmo_authorization z
    left join (select itmo_authorization, sum(quantity) filter (where status <> 'reverted') as committed,
        sum(quantity) filter (where status = 'finalised') as issued from itmo_conversion group by itmo_authorization) s
      on s.itmo_authorization = z."index"
    where coalesce(s.committed, 0) > z.quantity or coalesce(s.committed, 0) <> z.committed
      or coalesce(s.issued, 0) <> z.issued`,
  missing: {
    count: `select count(*) as n from itmo_authorization z where not exists (select 1 from itmo_authorization_version v
      where v.itmo_authorization = z."index" and v.version = z.version and v.quantity = z.quantity)`,
    reason: "the version in force is not among the versions.",
  },
  chain: authorizationsOnChain,
};

type ReductionOnChain = { purpose: number; quantity: bigint; finalFrom: number; firstTransferred: bigint };

async function reductionsOnChain(ask: Ask, chain: ChainState): Promise<ChainVerdict> {
  const rows = await ask(
    `select z."index", z.authorization_id, z.left_purpose, z.left_quantity::text as left_quantity,
       z.reduction_final_at::text as reduction_final_at, (${firstTransferred})::text as first_transferred
     from itmo_authorization z order by z."index" limit ${mostViews + 1}`,
  );
  if (rows.length > mostViews) return { violations: null, reason: `there are more than ${mostViews} authorizations.` };
  const told = await chain.read(
    rows.map(({ index }) => ({ contract: "authorizations" as const, view: "reductionOf", args: [int(index)] })),
  );
  if (told.answers === null) return { violations: null, reason: told.reason };
  const violations: CheckViolation[] = [];
  for (const [i, row] of rows.entries()) {
    const { purpose, quantity, finalFrom, firstTransferred: counted } = told.answers[i] as ReductionOnChain;
    const byEvents = [row.left_purpose, row.left_quantity, row.reduction_final_at, row.first_transferred];
    const isWhole = finalFrom === 0;
    const onChain = [
      isWhole ? null : wordAt(itmoPurposes, purpose),
      isWhole ? null : `${quantity}`,
      isWhole ? null : `${BigInt(finalFrom) * 86_400n}`,
      `${counted}`,
    ];
    if (onChain.every((value, j) => value === byEvents[j])) continue;
    violations.push({ authorization_id: text(row.authorization_id), chain: onChain.join(", ") });
  }
  return { violations };
}

/** SQL for the tonnes of an authorization `z` that were first transferred, by the actions. */
const firstTransferred = `select coalesce(sum(a.quantity), 0) from itmo_action a
  where a.itmo_authorization = z."index" and a.action = 'First transfer'`;

const reductions: RowCheck = {
  id: "reductions-kept",
  title: "First transfers stay within what reductions and revocations left of the authorization",
  examined: "select count(*) as n from itmo_authorization",
  violations: `select z.authorization_id, z.left_quantity::text as left_tonnes, (${firstTransferred})::text as first_transferred,
      null as transaction_hash
    from itmo_authorization z where z.left_quantity is not null and (${firstTransferred}) > z.left_quantity
    union all
    select a.authorization_id, null, a.quantity::text, a.transaction_hash
    from authorization_change c
    left join lateral (select n.kind, n.sequence from authorization_change n
      where n.itmo_authorization = c.itmo_authorization and n.sequence > c.sequence order by n.sequence limit 1) n on true
    join itmo_action a on a.itmo_authorization = c.itmo_authorization and a.action = 'First transfer'
      and a.sequence > c.sequence and (n.kind is distinct from 'veto' or a.sequence < n.sequence)
    where c.kind = 'revocation' or (c.kind = 'reduction' and a.acted_at < c.final_at)`,
  chain: reductionsOnChain,
};

const shares: RowCheck = {
  id: "mandatory-shares",
  title: "Every authorization under Article 6.4 gives the least shares for OMGE and adaptation",
  examined: "select count(*) as n from itmo_authorization",
  violations: `select z.authorization_id, a.cooperative_approach_id, z.omge_share as omge_ten_thousandths,
      z.sop_share as sop_ten_thousandths
    from itmo_authorization z join cooperative_approach a on a."index" = z.approach
    where ${mechanismOf("a.cooperative_approach_id", "z.authorized_day")} = 'article-6.4'
      and (z.omge_share < ${mandatoryShares.omge} or z.sop_share < ${mandatoryShares.sop})`,
};

const pointsToAuthorization: RowCheck = {
  id: "units-authorised",
  title: "Every block and every action is under an authorization of its approach",
  examined: "select (select count(*) from itmo_block) + (select count(*) from itmo_action) as n",
  violations: `select b.public_id as id, b.unique_id as units, b.transaction_hash from itmo_block b
      where not exists (select 1 from itmo_authorization z join cooperative_approach p on p."index" = z.approach
        where z."index" = b.itmo_authorization and p.cooperative_approach_id = b.cooperative_approach_id)
    union all
    select a.authorization_id, a.registry_id || ' ' || a.first_id::text || ' to ' || a.last_id::text, a.transaction_hash
      from itmo_action a
      where not exists (select 1 from itmo_authorization z join cooperative_approach p on p."index" = z.approach
        where z.authorization_id = a.authorization_id and p.cooperative_approach_id = a.cooperative_approach_id)`,
};

const entities: RowCheck = {
  id: "using-entities-authorised",
  title: "Every entity that used or cancelled is one that the authorization names",
  examined: "select count(*) as n from itmo_action where using_entity is not null",
  violations: `select a.using_entity, a.authorization_id, a.action, a.transaction_hash from itmo_action a
    where a.using_entity is not null and not exists (select 1 from authorized_entity e
      where e.itmo_authorization = a.itmo_authorization and e.entity_id = a.using_entity)`,
};

const usesForNdc = "select count(*) as n from itmo_action where action = 'Use' and purpose is null";

const useYear: RowCheck = {
  id: "use-year-in-ndc-period",
  title: "Every use towards an NDC names a year of the NDC period",
  examined: usesForNdc,
  violations: `select a.registry_id, a.first_id::text as first_id, a.last_id::text as last_id, a.ndc_year,
      p.ndc_first_year, p.ndc_last_year, a.transaction_hash
    from itmo_action a
    join itmo_authorization z on z."index" = a.itmo_authorization
    join cooperative_approach p on p."index" = z.approach
    where a.action = 'Use' and (a.ndc_year < p.ndc_first_year or a.ndc_year > p.ndc_last_year)`,
  missing: {
    count: `select count(*) as n from itmo_action a where a.action = 'Use' and a.purpose is null and (a.ndc_year is null
      or not exists (select 1 from itmo_authorization z join cooperative_approach p on p."index" = z.approach
        where z."index" = a.itmo_authorization))`,
    reason: "the year of the use, or the NDC period, is not there.",
  },
};

/** The contract knows no rule for it: the units of one NDC period are not to be used in another. */
const usedVintage: RowCheck = {
  id: "used-vintage-in-ndc-period",
  title: "The vintage of units used towards an NDC is a year of that NDC's period",
  examined: usesForNdc,
  violations: `select a.registry_id, a.first_id::text as first_id, a.last_id::text as last_id, a.vintage, a.ndc_year,
      p.ndc_first_year, p.ndc_last_year, a.transaction_hash
    from itmo_action a
    join itmo_authorization z on z."index" = a.itmo_authorization
    join cooperative_approach p on p."index" = z.approach
    where a.action = 'Use' and a.purpose is null and (a.vintage < p.ndc_first_year or a.vintage > p.ndc_last_year)`,
  missing: {
    count: `select count(*) as n from itmo_action a where a.action = 'Use' and a.purpose is null
      and not exists (select 1 from itmo_authorization z join cooperative_approach p on p."index" = z.approach
        where z."index" = a.itmo_authorization)`,
    reason: "the NDC period is not there.",
  },
};

const vintage: RowCheck = {
  id: "vintage",
  title: "No vintage is in the future or outside the authorized timeframe",
  examined: anyConversion,
  violations: `select c.public_id, c.vintage, z.first_year, z.last_year, c.requested_at::text as requested_at
    from itmo_conversion c join itmo_authorization z on z."index" = c.itmo_authorization
    where c.vintage > extract(year from to_timestamp(c.requested_at::double precision) at time zone 'UTC')
      or (z.last_year <> 0 and (c.vintage < z.first_year or c.vintage > z.last_year))`,
  missing: {
    count: `select count(*) as n from itmo_conversion c
      where not exists (select 1 from itmo_authorization z where z."index" = c.itmo_authorization)`,
    reason: "the authorization of the conversion is not there.",
  },
};

export const authorizationChecks: RowCheck[] = [
  quantity,
  reductions,
  shares,
  pointsToAuthorization,
  entities,
  useYear,
  usedVintage,
  vintage,
];
