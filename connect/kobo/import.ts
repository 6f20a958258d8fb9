import { AppError } from "../../api/platform/errors.ts";
import type { RequestContext } from "../../api/platform/http/index.ts";
import type { OperationJob, StartedOperation } from "../../api/platform/operations/index.ts";
import { handleBell } from "./bells.ts";
import { koboOf } from "./connections/access.ts";
import { asAppError, requireConnection } from "./connections/service.ts";
import type { KoboDeps } from "./deps.ts";
import { listRecords } from "./list-records.ts";

/** Type of the operation that reads old records. */
export const importType = "kobo.import";
const rowsAtOnce = 4;

/**
 * Begin to read all records of a project. Records that were read before, and did not change, stay as they are; refused ones are tried
 * again.
 * @throws AppError FORBIDDEN; NOT_FOUND; CONFLICT for a revoked connection; RULE_VIOLATION above the row limit; UPSTREAM when Kobo fails
 */
export async function importRecords(deps: KoboDeps, ctx: RequestContext, id: string): Promise<StartedOperation> {
  const connection = await requireConnection(deps, ctx, id);
  if (connection.revokedAt !== null) throw new AppError("CONFLICT", "The connection was ended.");
  const listed = await listRecords(koboOf(deps, connection)).catch((error: unknown) => {
    throw asAppError(error);
  });
  return await deps.host.operations.start(ctx, {
    type: importType,
    input: { connectionId: id },
    rows: listed.map(({ rootUuid }) => rootUuid),
  });
}

/** Read the records of an import. A record that cannot be read now is tried again later, like any other. */
export async function runImport(deps: KoboDeps, job: OperationJob): Promise<{ connectionId: string }> {
  const { connectionId } = job.input as { connectionId: string };
  for (let rows = await job.nextRows(rowsAtOnce); rows.length > 0; rows = await job.nextRows(rowsAtOnce)) {
    const answers = await Promise.all(
      rows.map(async ({ index, input }) => {
        const key = { connectionId, rootUuid: String(input) };
        await deps.store.ring(key, deps.host.clock.now());
        const outcome = await handleBell(deps, key);
        return outcome.done
          ? { index, status: "succeeded" as const, answer: null }
          : { index, status: "failed" as const, answer: { message: outcome.reason } };
      }),
    );
    await job.finishRows(answers);
  }
  return { connectionId };
}
