import type { CheckViolation } from "../../../wire/src/reports.ts";
import { codeText, itmoActionSubtypes, itmoBlockStatuses, wordAt } from "../../schema/itmo-words.ts";
import { type Ask, big, text, textOrNull } from "../ask.ts";
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
    from (select * from itmo_block where status = 'held') b
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

export const blockChecks: RowCheck[] = [
  rangeOverlap,
  rangesConserved,
  consumedStillHeld,
  usedOnce,
  firstTransferOnce,
  holdingsFollow,
  attributes,
];
