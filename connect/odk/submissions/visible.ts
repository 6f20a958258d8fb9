import { AppError } from "../../../api/platform/errors.ts";
import { type RequestContext, requireRole } from "../../../api/platform/http/index.ts";
import type { SubmissionRow } from "../../records/tables.ts";
import type { OdkDeps } from "../deps.ts";
import { correctInOf } from "./correct-in.ts";
import type { Submission } from "./schemas.ts";

/** Find a record that the caller may see. @throws AppError FORBIDDEN; NOT_FOUND, also for another implementer's */
export async function visible(deps: OdkDeps, ctx: RequestContext, id: string): Promise<SubmissionRow> {
  requireTeam(ctx);
  const row = await deps.submissions.byId(id);
  const isOwn = ctx.actor.role !== "implementer" || row?.implementerDid === ctx.actor.implementerDid;
  if (row === undefined || !isOwn) throw new AppError("NOT_FOUND", `There is no record ${id}.`);
  return row;
}

/** @throws AppError FORBIDDEN unless the caller is of a team or oversees it */
export function requireTeam({ actor }: RequestContext): void {
  requireRole(actor, "implementer", "evaluator", "regulator");
}

/** Describe records for the team. */
export async function toSubmissions({ collectors }: OdkDeps, rows: readonly SubmissionRow[]): Promise<Submission[]> {
  const asked = rows.filter((row) => row.collectorName === null || correctInOf(row, true) !== null);
  const names = await collectors.namesOf([...new Set(asked.map(({ collectorId }) => collectorId))]);
  return rows.map((row) => describe(row, names.get(row.collectorId)));
}

/** Describe a record for the team. */
export async function toSubmission(deps: OdkDeps, row: SubmissionRow): Promise<Submission> {
  const [made] = await toSubmissions(deps, [row]);
  return made as Submission;
}

function describe(row: SubmissionRow, collector: string | undefined): Submission {
  const name = row.collectorName ?? collector ?? null;
  return {
    id: row.id,
    form: row.kind,
    formId: row.formId,
    version: row.version,
    instanceId: row.instanceId,
    corrects: row.deprecatedId,
    correctedBy: row.correctedBy,
    correctIn: correctInOf(row, collector !== undefined),
    collector: { id: row.collectorId, name },
    implementerDid: row.implementerDid,
    campaignId: row.campaignId,
    day: row.day,
    region: row.region,
    status: row.status,
    resultId: row.resultId,
    details: row.details,
    receivedAt: row.receivedAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}
