import type { Hex } from "viem";
import { encodeVoucherId } from "../../../wire/src/ids.ts";
import { dateOf } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { decodeCursor, type RequestContext, toPage } from "../../platform/http/index.ts";
import { big, int, parameters } from "../../platform/indexer/index.ts";
import { type CardLanguage, visibleImplementers } from "../cards/index.ts";
import { ruleConflict } from "../registry/index.ts";
import type { CodeDeps } from "./deps.ts";
import type { TreePlace } from "./household-codes.ts";
import type { CodeSet } from "./schemas.ts";
import { type CodePaper, writeCodeSheets } from "./sheets/write-code-sheets.ts";
import type { CodeSetRow } from "./tables.ts";
import { voucherQrText } from "./voucher-qr-text.ts";

/** List the code sets that the actor may see, oldest first. */
export async function listCodeSets(
  deps: CodeDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ items: CodeSet[]; nextCursor: string | null }> {
  const after = String(decodeCursor(query.cursor)?.[0] ?? "");
  const rows = await deps.codes.setsAfter(after, query.limit + 1, visibleImplementers(ctx));
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.codeSetId]);
  return { items: await Promise.all(items.map((row) => serialize(deps, row))), nextCursor };
}

/** Read a code set. @throws AppError NOT_FOUND, also for one that the actor may not see */
export async function getCodeSet(deps: CodeDeps, ctx: RequestContext, codeSetId: string): Promise<CodeSet> {
  return serialize(deps, await requireSeen(deps, ctx, codeSetId));
}

/**
 * Write the papers of a set, in the order of the certificate's allocation.
 * @throws AppError NOT_FOUND, CONFLICT when the codes were deleted, or while the vouchers are still being issued
 */
export async function codeSheets(
  deps: CodeDeps,
  ctx: RequestContext,
  codeSetId: string,
  language: CardLanguage | undefined,
): Promise<AsyncGenerator<Uint8Array>> {
  const set = await requireSeen(deps, ctx, codeSetId);
  if (set.sealedSeed === null) {
    throw ruleConflict("codes-kept", "The service has deleted these codes, so it cannot print them again.");
  }
  const first = await deps.codes.treeAfter(codeSetId, -1);
  if (first === undefined || (await papersOf(deps, set, first.households)).length < first.households.length) {
    throw ruleConflict("vouchers-issued", "The vouchers are still being issued. Print the papers when that has ended.");
  }
  return writeCodeSheets(allPapers(deps, set), { language: language ?? set.language, createdAt: set.createdAt });
}

/** Delete the codes after the papers were handed out. They stay valid. @throws AppError NOT_FOUND */
export async function forgetCodes(deps: CodeDeps, ctx: RequestContext, codeSetId: string): Promise<CodeSet> {
  await requireSeen(deps, ctx, codeSetId);
  await deps.codes.forget(codeSetId);
  return getCodeSet(deps, ctx, codeSetId);
}

async function* allPapers(deps: CodeDeps, set: CodeSetRow): AsyncGenerator<CodePaper> {
  let tree = await deps.codes.treeAfter(set.codeSetId, -1);
  while (tree !== undefined) {
    yield* await committedPapers(deps, set, tree);
    tree = await deps.codes.treeAfter(set.codeSetId, tree.firstLeaf);
  }
}

/**
 * The papers of a tree's households. None for one whose voucher another transaction issued just before that of the tree:
 * it has no codes.
 */
async function committedPapers(deps: CodeDeps, set: CodeSetRow, tree: TreePlace): Promise<CodePaper[]> {
  const papers = await papersOf(deps, set, tree.households);
  const roots = new Map<bigint, Promise<Hex>>();
  const rootOf = (id: bigint) => {
    // All vouchers of a batch have the same root.
    const place = id >> 32n === 0n ? id : (id >> 32n) << 32n;
    const root = roots.get(place) ?? deps.chain.read("vouchers", "codeRootOf", [place]);
    roots.set(place, root);
    return root;
  };
  const committed = await Promise.all(papers.map(async ({ id }) => (await rootOf(id)) === tree.root));
  return papers.filter((_, i) => committed[i]);
}

/** The papers of some households; none for one whose voucher is not in the index yet. */
async function papersOf(
  deps: CodeDeps,
  set: CodeSetRow,
  households: number[],
): Promise<(CodePaper & { id: bigint })[]> {
  const { values, add } = parameters();
  const rows = await deps.indexer.query(
    `select v.id, v.household, v.expiry_day from voucher v where v.certificate = ${add(set.certificate)}
     and v.household in (${households.map((household) => add(household)).join(", ")}) and v.replaced_by is null`,
    values,
  );
  const voucherOf = new Map(rows.map((row) => [int(row.household), row]));
  const known = await deps.registry.households.byIndexes(households);
  return households.flatMap((household) => {
    const row = voucherOf.get(household);
    const registered = known.get(household);
    if (row === undefined || registered === undefined) return [];
    const id = big(row.id);
    const voucherId = encodeVoucherId(id);
    return {
      id,
      voucherId,
      voucherText: voucherQrText(voucherId),
      householdDid: registered.did,
      lastDay: dateOf(int(row.expiry_day)),
      codes: deps.codes.codesOf(set, household),
    };
  });
}

async function requireSeen(deps: CodeDeps, ctx: RequestContext, codeSetId: string): Promise<CodeSetRow> {
  const set = await deps.codes.set(codeSetId);
  const isSeen = set !== null && (visibleImplementers(ctx)?.includes(set.implementerDid) ?? true);
  if (!isSeen) throw new AppError("NOT_FOUND", `There is no code set ${codeSetId}.`);
  return set;
}

async function serialize({ certificates }: CodeDeps, row: CodeSetRow): Promise<CodeSet> {
  const certificate = await certificates.byIndex(row.certificate);
  return {
    codeSetId: row.codeSetId,
    implementerDid: row.implementerDid,
    emissionCertificateId: certificate?.certificateId ?? "",
    batchId: row.batchId,
    language: row.language,
    codesPerVoucher: row.codesPerVoucher,
    isPrintable: row.sealedSeed !== null,
    createdAt: row.createdAt.toISOString(),
  };
}
