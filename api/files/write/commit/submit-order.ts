import { sql } from "drizzle-orm";
import type { FileDeps } from "../../deps.ts";
import { changeNamespace } from "../../records/namespace-lock.ts";
import { underFolder } from "../../visibility/visible-where.ts";
import { UnknownOutcomeError } from "./commit-batch.ts";
import type { CommitOrder, Verdict } from "./commit-order.ts";

/**
 * Commit an order together with those of other writers. If the connection breaks during the commit, look for the row: once the
 * namespace's lock is free, the broken transaction has ended, and a row names the order's blob only if it was committed.
 * @throws UnknownOutcomeError when the row cannot be looked up either; the blob must then be kept
 */
export async function submitOrder(deps: FileDeps, order: CommitOrder): Promise<Verdict> {
  try {
    const verdict = await deps.files.committer.submit(order);
    await deps.files.step?.("write-committed");
    return verdict;
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) throw error;
    deps.log.warn(
      { err: error, fileId: order.fileId },
      "the connection broke during a commit; checking whether it was committed",
    );
    const found = await findCommitted(deps, order).catch((cause: unknown) => {
      throw new UnknownOutcomeError(cause);
    });
    if (found === undefined) throw error.cause;
    return { outcome: "done", ...found };
  }
}

type Found = { version: number; retained: number; hidden: boolean; public: boolean };
const marks = sql`${underFolder("hidden")} as hidden, ${underFolder("public")} as public`;

function findCommitted(deps: FileDeps, { namespace, fileId, content: { blob } }: CommitOrder) {
  return changeNamespace(deps, namespace, async (tx) => {
    const { rows } = await tx.execute<Found>(sql`
      select version, retained, ${marks} from files where id = ${fileId} and blob = ${blob}
      union all
      select kept.version, files.retained, ${marks} from file_versions kept join files on files.id = kept.file_id
      where kept.file_id = ${fileId} and kept.blob = ${blob}`);
    if (rows[0] === undefined) return undefined;
    const { version, retained, hidden, public: open } = rows[0];
    return { version, retained, marks: { folderHidden: hidden, folderPublic: open } };
  });
}
