import type { Transaction } from "../../../api/platform/db/index.ts";
import { AppError } from "../../../api/platform/errors.ts";
import type { RequestContext } from "../../../api/platform/http/index.ts";
import { changeOnce } from "../../../api/platform/idempotency/index.ts";
import type { OdkDeps } from "../deps.ts";
import type { CollectorRow } from "../tables.ts";
import { type CollectorSecrets, makeSecrets } from "./secrets.ts";

/** Secrets of a collector, and what stores them. `formerKeyId`: the API key that ends with it. */
export type Issue = {
  secrets: CollectorSecrets;
  store: (tx: Transaction) => Promise<void>;
  formerKeyId?: string | undefined;
};

/**
 * Store a collector's secrets once for a request with an Idempotency-Key. Nothing keeps the secrets for a repeat, which comes after a
 * kill before the response: the repeat makes others in their place. Only the same caller reaches it, with the same key. It does not
 * replace what somebody made meanwhile.
 * @throws AppError CONFLICT for a repeat when the collector was revoked or got other secrets meanwhile
 */
export async function issueOnce(
  deps: OdkDeps,
  ctx: RequestContext,
  prepare: () => Promise<Issue>,
): Promise<{ row: CollectorRow; secrets: CollectorSecrets }> {
  const { collectors, host } = deps;
  let shown: CollectorSecrets | undefined;
  const mark = await changeOnce(
    host.db,
    ctx,
    async () => {
      const { secrets, store, formerKeyId } = await prepare();
      return async (tx) => {
        await store(tx);
        shown = secrets;
        return markOf(secrets, formerKeyId);
      };
    },
    async (tx, made) => {
      const { id, secretHash, formerKeyId } = readMark(made);
      const row = await collectors.find(id, tx);
      if (row === undefined || row.keyForPassword === null) throw changedMeanwhile();
      const secrets = makeSecrets(host, host.secretBox.open(row.keyForPassword), id);
      if (!(await collectors.replaceSecrets(tx, id, secretHash, secrets.stored))) throw changedMeanwhile();
      shown = secrets;
      return markOf(secrets, formerKeyId);
    },
  );
  const { id, formerKeyId } = readMark(mark);
  if (formerKeyId !== undefined) await host.keys.revoke(ctx, formerKeyId);
  const row = await collectors.find(id);
  if (row === undefined || shown === undefined) throw new Error(`The collector ${id} is not stored.`);
  return { row, secrets: shown };
}

export function changedMeanwhile(): AppError {
  return new AppError("CONFLICT", "Another request changed the collector meanwhile.");
}

/** What the request's record keeps: which collector, the hash that tells whether it has these secrets still, and what is to end. */
function markOf({ id, stored }: CollectorSecrets, formerKeyId = ""): string {
  return [id, stored.secretHash, formerKeyId].join(" ").trim();
}

function readMark(mark: string): { id: string; secretHash: string; formerKeyId: string | undefined } {
  const [id = "", secretHash = "", formerKeyId] = mark.split(" ");
  return { id, secretHash, formerKeyId };
}
