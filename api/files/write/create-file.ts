import { AppError } from "../../platform/errors.ts";
import { cleanMimeType } from "../../platform/http/mime-type.ts";
import { newId } from "../../platform/new-id.ts";
import { notFound } from "../../platform/ucan/not-found.ts";
import type { FileContext } from "../deps.ts";
import { type FileMetadata, toMetadata } from "../records/file-metadata.ts";
import { UnknownOutcomeError } from "./commit/commit-batch.ts";
import type { CreateOrder } from "./commit/commit-order.ts";
import { submitOrder } from "./commit/submit-order.ts";
import { overQuota, type Preconditions } from "./errors.ts";
import { type Place, refuseTaken, requirePlace, seesPlace } from "./free-path.ts";
import { Attempt } from "./stored-version.ts";
import { Room, refuseTooLong } from "./write-limit.ts";

export type CreateInput = Preconditions & {
  path: string;
  mimeType: string;
  hidden?: boolean | undefined;
  public?: boolean | undefined;
  metadata?: Record<string, unknown> | undefined;
  content: AsyncIterable<Uint8Array>;
  declaredSize?: number | undefined;
  /** The room that an upload has taken its bytes in; its own when absent. */
  room?: Room | undefined;
};

const mostTries = 20;
const firstVersion = 1;

/**
 * Make a file with its first version.
 * @throws AppError NOT_FOUND when the path is out of the caller's scope or would be hidden from it; CONFLICT when a file is there;
 * PRECONDITION_FAILED; TOO_LARGE
 */
export async function createFile(ctx: FileContext, input: CreateInput): Promise<FileMetadata> {
  const place = await checkCreate(ctx, input);
  await ctx.deps.files.step?.("write-begun");
  const room = input.room ?? (await Room.open(ctx, input.declaredSize));
  try {
    return await storeAndCommit(ctx, input, place, room);
  } catch (error) {
    if (input.room === undefined && !(error instanceof UnknownOutcomeError)) await room.release();
    throw error;
  }
}

async function storeAndCommit(ctx: FileContext, input: CreateInput, place: Place, room: Room): Promise<FileMetadata> {
  const attempt = await Attempt.store(ctx, {
    fileId: newId(ctx.deps.clock.now()),
    sealedVersion: firstVersion,
    source: input.content,
    room,
    mimeType: cleanMimeType(input.mimeType),
  });
  try {
    return await commit(ctx, input, place, attempt);
  } catch (error) {
    // Bytes that a row may name stay; the orphans' collection knows better later.
    if (!(error instanceof UnknownOutcomeError)) await attempt.discard();
    throw error;
  }
}

/** Refuse what createFile would refuse before it reads the content. @throws as createFile */
export async function checkCreate(ctx: FileContext, input: Omit<CreateInput, "content" | "mimeType">): Promise<Place> {
  const place = await requirePlace(ctx, input);
  refuseTooLong(ctx, input.declaredSize);
  return place;
}

async function commit(ctx: FileContext, input: CreateInput, place: Place, attempt: Attempt): Promise<FileMetadata> {
  for (let tries = 1; ; tries += 1) {
    ctx.signal?.throwIfAborted();
    // The body may have taken hours.
    await ctx.access.confirm();
    const order = await orderOf(ctx, input, place, attempt, tries > 1);
    const verdict = await submitOrder(ctx.deps, order);
    if (verdict.outcome === "done") return created(ctx, input, { ...place, ...verdict.marks }, attempt, order);
    if (verdict.outcome === "hidden") throw notFound();
    if (verdict.outcome === "quota") throw overQuota(order.quota ?? 0, verdict.used);
    if (verdict.outcome === "taken") await refuseTaken(ctx, input, place.path);
    // The file at the path, or the key group's secret, went as this came.
    if (tries === mostTries)
      throw new AppError("WRITE_CONFLICT", "Other writes were faster again and again; try again.");
  }
}

/** @param again the key group that was taken for it has another secret by now */
async function orderOf(
  ctx: FileContext,
  input: CreateInput,
  place: Place,
  attempt: Attempt,
  again: boolean,
): Promise<CreateOrder> {
  const { owner } = ctx.access.grant;
  const fresh = await ctx.deps.files.keys.newFileKey(owner, again);
  return {
    kind: "create",
    namespace: owner,
    fileId: attempt.fileId,
    path: place.path,
    hidden: input.hidden ?? false,
    public: input.public ?? false,
    keyGroup: fresh.groupId,
    secretId: fresh.secretId,
    fileKey: fresh.wrapped,
    content: attempt.content(fresh.key, fresh.tagger, aboutOf(input)),
    words: attempt.words(fresh.key, fresh.tagger),
    at: ctx.deps.clock.now(),
    quota: ctx.deps.config.files.namespaceQuotaBytes ?? null,
    reservation: attempt.reservation,
    sees: (marks) => seesPlace(ctx, input, { ...place, ...marks }),
    event: attempt.event("file.created", fresh.key),
  };
}

function aboutOf(input: CreateInput) {
  return { mimeType: cleanMimeType(input.mimeType), metadata: input.metadata ?? {} };
}

function created(
  ctx: FileContext,
  input: CreateInput,
  place: Place,
  attempt: Attempt,
  order: CreateOrder,
): FileMetadata {
  const file = {
    ...{ id: order.fileId, namespace: order.namespace, version: firstVersion, retained: 1, size: attempt.stored.size },
    ...{ ...place, hidden: order.hidden, public: order.public },
    ...{ createdAt: order.at, updatedAt: order.at, createdBy: order.namespace, trashedAt: null },
  };
  return toMetadata(file, attempt.details(aboutOf(input)), ctx.deps.config.publicUrl);
}
