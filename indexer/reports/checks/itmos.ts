import { codeText } from "../../../wire/src/code-text.ts";
import type { CheckViolation } from "../../../wire/src/reports.ts";
import { tonne } from "../../lib/lots.ts";
import { itmoActionSubtypes, itmoBlockStatuses, wordAt } from "../../schema/itmo-words.ts";
import { type Ask, big, int, text, textOrNull } from "../ask.ts";
import { type ChainState, mostViews } from "../chain-state.ts";
import type { ChainVerdict, RowCheck } from "./check.ts";

const anyBlock = "select count(*) as n from itmo_block";
const anyAction = "select count(*) as n from itmo_action";

/** Actions that remove units permanently. */
const consuming = `(action in ('Use', 'Cancellation', 'Voluntary Cancellation')
  or subtype = 'Voluntary transfer to the Adaptation Fund')`;

/** SQL for actions of a kind that share a serial with an earlier action of that kind. */
const repeated = (kind: string) => `select registry_id, first_id::text as first_id, last_id::text as last_id, action,
    transaction_hash, reach::text as done_up_to
  from (select *, max(last_id) over (partition by registry_id order by first_id, sequence
          rows between unbounded preceding and 1 preceding) as reach from itmo_action where ${kind}) as ranged
  where reach >= first_id`;

const rangeOverlap: RowCheck = {
  id: "itmo-range-overlap",
  title: "No two ITMO blocks of a registry share a serial",
  examined: anyBlock,
  violations: `select public_id, unique_id, reach::text as taken_up_to
    from (select *, max(last_id) over (partition by registry_id order by first_id, id
            rows between unbounded preceding and 1 preceding) as reach from itmo_block) as ranged
    where reach >= first_id or last_id < first_id`,
};

const rangesConserved: RowCheck = {
  id: "itmo-ranges-conserved",
  title: "The blocks of a conversion are exactly the serials that it was given",
  examined: "select count(*) as n from itmo_conversion where status = 'finalised'",
  violations: `select c.public_id, c.first_id::text as first_id, c.last_id::text as last_id, c.quantity::text as quantity,
      min(b.first_id)::text as blocks_from, max(b.last_id)::text as blocks_to,
      coalesce(sum(b.last_id - b.first_id + 1), 0)::text as in_blocks
    from itmo_conversion c left join itmo_block b on b.conversion = c."index"
    where c.status = 'finalised' and c.first_id is not null and c.last_id is not null
    group by c."index", c.public_id, c.first_id, c.last_id, c.quantity
    having min(b.first_id) is distinct from c.first_id or max(b.last_id) is distinct from c.last_id
      or coalesce(sum(b.last_id - b.first_id + 1), 0) <> c.quantity or c.last_id - c.first_id + 1 <> c.quantity`,
  missing: {
    count:
      "select count(*) as n from itmo_conversion where status = 'finalised' and (first_id is null or last_id is null)",
    reason: "a finalised conversion has no serials.",
  },
};

type BlockOnChain = { lastId: bigint; party: `0x${string}`; status: number; firstTransfer: number };

async function blocksOnChain(ask: Ask, chain: ChainState): Promise<ChainVerdict> {
  const rows = await ask(
    `select id::text as id, public_id, last_id::text as last_id, party, status, first_transfer from itmo_block
     order by id limit ${mostViews + 1}`,
  );
  if (rows.length > mostViews) return { violations: null, reason: `there are more than ${mostViews} blocks.` };
  const told = await chain.read(rows.map(({ id }) => ({ contract: "itmo", view: "blockOf", args: [big(id)] })));
  if (told.answers === null) return { violations: null, reason: told.reason };
  const violations: CheckViolation[] = [];
  for (const [i, row] of rows.entries()) {
    const { lastId, party, status, firstTransfer } = told.answers[i] as BlockOnChain;
    const onChain = [
      `${lastId}`,
      codeText(party) || null,
      wordAt(itmoBlockStatuses, status),
      wordAt(itmoActionSubtypes, firstTransfer),
    ];
    const events = [text(row.last_id), textOrNull(row.party), text(row.status), textOrNull(row.first_transfer)];
    if (events.every((value, at) => value === onChain[at])) continue;
    violations.push({ public_id: text(row.public_id), events: events.join(" "), chain: onChain.join(" ") });
  }
  return { violations };
}

const consumedStillHeld: RowCheck = {
  id: "consumed-still-held",
  title: "What was used, cancelled or given to the Adaptation Fund is held by nobody",
  examined: `select count(*) as n from itmo_action where ${consuming}`,
  violations: `select b.public_id, b.unique_id, b.status, a.action, a.transaction_hash
      from itmo_action a join itmo_block b on b.conversion = a.conversion
        and b.first_id <= a.last_id and b.last_id >= a.first_id
      where ${consuming.replaceAll("action ", "a.action ").replaceAll("subtype ", "a.subtype ")} and b.status = 'held'
    union all
    select b.public_id, b.unique_id, 'holding of ' || h.party, a.action, a.transaction_hash
      from itmo_action a join itmo_holding h on h.conversion = a.conversion and h.held_until is null
        and h.first_id <= a.last_id and h.last_id >= a.first_id
      join itmo_block b on b.id = h.block
      where ${consuming.replaceAll("action ", "a.action ").replaceAll("subtype ", "a.subtype ")}`,
  chain: blocksOnChain,
};

const usedOnce: RowCheck = {
  id: "itmo-used-once",
  title: "No unit was used, cancelled or given away twice",
  examined: `select count(*) as n from itmo_action where ${consuming}`,
  violations: repeated(consuming),
};

const firstTransferOnce: RowCheck = {
  id: "first-transfer-once",
  title: "Every first transfer is recorded once, and its mark stays with every part",
  examined: anyBlock,
  violations: `select registry_id, first_id, last_id, action, transaction_hash, done_up_to
      from (${repeated("action = 'First transfer'")}) as twice
    union all
    select b.registry_id, b.first_id::text, b.last_id::text, coalesce(b.first_transfer, 'no mark'), b.transaction_hash, null
      from itmo_block b
      left join itmo_action a on a.conversion = b.conversion and a.action = 'First transfer'
        and a.first_id <= b.first_id and a.last_id >= b.last_id
      where b.first_transfer is distinct from a.subtype`,
};

const holdingsFollow: RowCheck = {
  id: "holdings-follow-blocks",
  title: "Every held block is held once, by its Party, and nothing else is",
  examined: anyBlock,
  violations: `select b.public_id, b.status, b.party, h.party as holder, h.first_id::text as held_from, h.last_id::text as held_to
    from (select * from itmo_block where status in ('held', 'buffered')) b
    full join (select * from itmo_holding where held_until is null) h on h.block = b.id
    where b.id is null or h.block is null or h.party <> b.party or h.first_id <> b.first_id or h.last_id <> b.last_id
    union all
    select min(b.public_id), 'held', min(h.party), max(h.party), min(h.first_id)::text, max(h.last_id)::text
      from itmo_holding h join itmo_block b on b.id = h.block
      where h.held_until is null group by h.block having count(*) > 1`,
};

const attributes: RowCheck = {
  id: "block-attributes",
  title: "Approach, authorization, Party, registry and vintage of a block never change",
  examined: anyAction,
  violations: `select b.public_id, b.unique_id, a.cooperative_approach_id, a.authorization_id, a.first_transferring_party,
      a.registry_id, a.vintage, a.transaction_hash
    from itmo_action a
    join itmo_block b on b.id = a.block
    join itmo_conversion c on c."index" = b.conversion
    join itmo_authorization z on z."index" = c.itmo_authorization
    join cooperative_approach p on p."index" = z.approach
    where a.conversion <> b.conversion or a.authorization_id <> z.authorization_id
      or a.cooperative_approach_id <> p.cooperative_approach_id or b.cooperative_approach_id <> p.cooperative_approach_id
      or a.first_transferring_party <> p.first_transferring_party or a.registry_id <> c.registry_id
      or b.registry_id <> c.registry_id or a.vintage <> c.vintage or b.vintage <> c.vintage`,
  missing: {
    count: `select count(*) as n from itmo_action a where not exists (select 1 from itmo_block b
      join itmo_conversion c on c."index" = b.conversion join itmo_authorization z on z."index" = c.itmo_authorization
      join cooperative_approach p on p."index" = z.approach where b.id = a.block)`,
    reason: "block, conversion, authorization or approach of the action is not there.",
  },
};

/** SQL for a lot's tonnes, rounded up. */
const lotTonnes = `ceil(l.amount / ${tonne}.0)`;

async function holdsOnChain(ask: Ask, chain: ChainState): Promise<ChainVerdict> {
  const rows = await ask(
    `select conversion, first_id::text as first_id, held::text as held, held_until::text as held_until from buffer_hold
     order by conversion limit ${mostViews + 1}`,
  );
  if (rows.length > mostViews)
    return { violations: null, reason: `there are more than ${mostViews} conversions held.` };
  const told = await chain.read(
    rows.map(({ conversion }) => ({ contract: "invalidationBuffer", view: "holdOf", args: [int(conversion)] })),
  );
  if (told.answers === null) return { violations: null, reason: told.reason };
  const violations: CheckViolation[] = [];
  for (const [i, row] of rows.entries()) {
    const { firstId, held, heldUntil } = told.answers[i] as { firstId: bigint; held: bigint; heldUntil: number };
    const onChain = [`${firstId}`, `${held}`, `${heldUntil}`];
    const events = [text(row.first_id), text(row.held), text(row.held_until)];
    if (events.every((value, at) => value === onChain[at])) continue;
    violations.push({ conversion: int(row.conversion), events: events.join(" "), chain: onChain.join(" ") });
  }
  return { violations };
}

/** SQL for the tonnes that the terms of a conversion `c` ask for, and days; no row when there were no terms. */
const termsOfConversion = `select t.share, t.hold_days from buffer_terms t
  where t.first_conversion <= c."index" order by t.sequence desc limit 1`;

/** SQL for the tonnes that OMGE and share of proceeds left of a conversion `c` when it was finalised. */
const leftByShares = `c.quantity - (select coalesce(sum(a.quantity), 0) from itmo_action a
  where a.conversion = c."index" and a.transaction_hash = c.end_transaction_hash
    and a.subtype in ('Voluntary cancellation to deliver OMGE', 'Voluntary transfer to the Adaptation Fund'))`;

/** Each part of the rule is one query: what was held, for how long, cancelled for which lots, released when, and what is left. */
const bufferByRule: RowCheck = {
  id: "buffer-by-rule",
  title: "The invalidation buffer held, cancelled and released exactly what its rule says",
  examined: "select count(*) as n from itmo_conversion where status = 'finalised'",
  violations: `select c.public_id, 'held' as part, coalesce(h.quantity, 0)::text as recorded, e.tonnes::text as expected
      from itmo_conversion c
      left join lateral (${termsOfConversion}) t on true
      left join buffer_hold h on h.conversion = c."index"
      cross join lateral (select least(ceil(c.quantity * coalesce(t.share, 0) / 10000.0), ${leftByShares}) as tonnes) e
      where c.status = 'finalised' and (coalesce(h.quantity, 0) <> e.tonnes
        or h.held_until <> h.held_at + t.hold_days * 86400 or h.last_id - h.first_id + 1 <> h.quantity)
    union all
    select c.public_id, 'conserved', (h.held + h.cancelled + h.released)::text, h.quantity::text
      from buffer_hold h join itmo_conversion c on c."index" = h.conversion
      where h.held + h.cancelled + h.released <> h.quantity or h.held < 0
        or h.held <> (select coalesce(sum(b.quantity), 0) from itmo_block b
          where b.conversion = h.conversion and b.status = 'buffered')
    union all
    select c.public_id, 'cancelled', x.quantity::text, least(${lotTonnes}, x.left_before)::text
      from (select b.*, h.quantity - (select coalesce(sum(e.quantity), 0) from buffer_change e
          where e.conversion = b.conversion and e.sequence < b.sequence) as left_before
        from buffer_change b join buffer_hold h on h.conversion = b.conversion) x
      join itmo_conversion c on c."index" = x.conversion
      left join conversion_lot l on l.conversion = x.conversion and l.certificate = x.certificate
      left join certificate k on k."index" = x.certificate
      where x.kind = 'cancellation' and (l.certificate is null or x.quantity <> least(${lotTonnes}, x.left_before)
        or k.status <> 'revoked' or x.changed_at < k.revocation_final_at
        or exists (select 1 from buffer_change e where e.conversion = x.conversion and e.certificate = x.certificate
          and e.sequence < x.sequence))
    union all
    select c.public_id, 'released', b.changed_at::text, h.held_until::text
      from buffer_change b join buffer_hold h on h.conversion = b.conversion
      join itmo_conversion c on c."index" = b.conversion
      where b.kind = 'release' and (b.changed_at < h.held_until
        or exists (select 1 from conversion_lot l join certificate k on k."index" = l.certificate
          where l.conversion = b.conversion and k.status = 'revoked' and k.revocation_final_at <= b.changed_at
            and not exists (select 1 from buffer_change e where e.conversion = b.conversion and e.kind = 'cancellation'
              and e.certificate = l.certificate)))`,
  chain: holdsOnChain,
};

export const blockChecks: RowCheck[] = [
  rangeOverlap,
  rangesConserved,
  consumedStillHeld,
  usedOnce,
  firstTransferOnce,
  holdingsFollow,
  attributes,
  bufferByRule,
];
