import { tonne } from "../lib/lots.ts";

/**
 * SQL for the purposes that a block `b` has: what is left of its authorization `z`, or all once it was first transferred. None where
 * no more tonnes are left than were first transferred, whatever purpose a reduction left.
 */
const purposeOfUnits = `case when b.first_transfer is not null or z.reduction_final_at is null then z.purpose
  when z.left_quantity <= (select coalesce(sum(t.quantity), 0) from itmo_block t
    where t.itmo_authorization = z."index" and t.first_transfer is not null) then null else z.left_purpose end`;

/** SQL for the parts of blocks that each lot is behind, micro-CARBON, where a condition on `l` (lot) and `b` (block) holds. */
export const partsWhere = (condition: string): string => `
  select l.certificate, b.public_id, b.unique_id, b.status, b.party, b.first_transfer, b.itmo_authorization,
    z.authorization_id, ${purposeOfUnits} as purpose, z.left_purpose, z.reduction_final_at, b.registry_id, b.first_id,
    least(l.start_offset + l.amount, (b.last_id - c.first_id + 1) * ${tonne})
      - greatest(l.start_offset, (b.first_id - c.first_id) * ${tonne}) as carbon
  from conversion_lot l
  join itmo_conversion c on c."index" = l.conversion and c.status = 'finalised'
  join itmo_block b on b.conversion = c."index"
    and (b.first_id - c.first_id) * ${tonne} < l.start_offset + l.amount
    and (b.last_id - c.first_id + 1) * ${tonne} > l.start_offset
  join itmo_authorization z on z."index" = b.itmo_authorization
  where ${condition}`;
