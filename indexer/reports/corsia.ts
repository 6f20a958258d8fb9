import type { LosslessNumber } from "lossless-json";
import type { CorsiaLabel, CorsiaReport } from "../../wire/src/reports.ts";
import { type CorsiaPhase, corsiaPhases } from "../schema/article-6-words.ts";
import { registrySpelling } from "../schema/registry-names.ts";
import { type Ask, big, int, type SqlRow, type Standing, text, textOrNull } from "./ask.ts";
import { exact } from "./exact.ts";
import { partsWhere } from "./parts.ts";

const CARBON_DECIMALS = 6;
const forAviation = ["OIMP", "IMP", "NDC and OIMP", "NDC and IMP"];

const units = `select c.certificate_id, c.status as certificate_status, c.registry, c.vintage, c.period_start, c.period_end, p.authorization_id, p.purpose,
    p.status, sum(p.carbon)::text as carbon
  from (${partsWhere("b.first_transferring_party = $1 and b.status in ('held', 'used-for-oimp')")}) as p
  join certificate c on c."index" = p.certificate
  group by c."index", c.certificate_id, c.status, c.registry, c.vintage, c.period_start, c.period_end, p.authorization_id,
    p.purpose, p.status
  order by c."index", p.authorization_id, p.status, p.purpose`;

/** What all spellings of a phase and a registry share; null for a name that no certificate can have. */
function keyOf(phase: string, registry: string): string | null {
  const spelling = registrySpelling(registry);
  return spelling === null ? null : `${phase}/${spelling}`;
}

/** Read the newest record of each phase and registry, by `keyOf`. */
async function readRecords(ask: Ask, { timestamp }: Standing): Promise<Map<string | null, SqlRow>> {
  const rows = await ask(
    `select number, key, source, valid_from, valid_to from parameter
     where kind = 'corsia' and set_at <= $1 order by number`,
    [timestamp],
  );
  return new Map(
    rows.map((row) => {
      const [phase = "", ...registry] = text(row.key).split("/");
      return [keyOf(phase, registry.join("/")), row];
    }),
  );
}

function labelOf(phase: CorsiaPhase, unit: SqlRow, record: SqlRow | undefined): CorsiaLabel {
  const missing: CorsiaLabel["missing"] = [];
  if (record === undefined) missing.push("registry-recorded");
  else {
    const isBefore = int(unit.period_start) < int(record.valid_from);
    const isAfter = record.valid_to !== null && int(unit.period_end) > int(record.valid_to);
    if (isBefore || isAfter) missing.push("period-eligible");
  }
  if (text(unit.certificate_status) !== "valid") missing.push("certificate-valid");
  if (!forAviation.includes(textOrNull(unit.purpose) ?? "")) missing.push("purpose-authorized");
  return {
    phase,
    ...corsiaPhases[phase],
    eligible: missing.length === 0,
    record: record === undefined ? null : { parameterId: `PRM-${int(record.number)}`, source: text(record.source) },
    missing,
  };
}

/**
 * Label a Party's ITMOs that are held or were used for an OIMP with the phases of CORSIA in which they are eligible: the regulator
 * recorded the carbon registry for the phase, the certificate is valid and its whole period is in the record's validity, and the
 * authorization covers international mitigation purposes.
 */
export async function labelForCorsia(
  ask: Ask,
  standing: Standing,
  { party }: { party: string },
): Promise<CorsiaReport<bigint | LosslessNumber>> {
  const records = await readRecords(ask, standing);
  const rows = await ask(units, [party]);
  return {
    party,
    block: standing.block,
    units: rows.map((row) => ({
      certificateId: text(row.certificate_id),
      registry: text(row.registry),
      vintage: int(row.vintage),
      authorizationId: text(row.authorization_id),
      purpose: textOrNull(row.purpose),
      status: text(row.status),
      carbon: exact(big(row.carbon), CARBON_DECIMALS),
      labels: (Object.keys(corsiaPhases) as CorsiaPhase[]).map((phase) =>
        labelOf(phase, row, records.get(keyOf(phase, text(row.registry)))),
      ),
    })),
  };
}
