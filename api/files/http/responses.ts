import { z } from "@hono/zod-openapi";
import { page } from "../../platform/http/index.ts";

const helloCid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const helloHash = "sha256-uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=";
const owner = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK";
const unixSeconds = z.number().int().openapi({ description: "Unix seconds." });

const damaged = z
  .literal(true)
  .optional()
  .openapi({ description: "The record cannot be decrypted: `cid` and `contentHash` are empty." });

export const fileMetadata = z
  .object({
    id: z.string(),
    path: z.string(),
    name: z.string(),
    namespace: z.string(),
    size: z.number().int(),
    mimeType: z.string(),
    cid: z.string(),
    contentHash: z.string(),
    version: z.number().int(),
    hidden: z.boolean().openapi({ description: "The file itself is marked hidden." }),
    hiddenEffective: z
      .boolean()
      .openapi({ description: "The file is marked hidden, has a dot segment in its path, or is in a hidden folder." }),
    public: z.boolean(),
    publicUrl: z.string().optional(),
    createdAt: unixSeconds,
    updatedAt: unixSeconds,
    createdBy: z.string(),
    trashedAt: unixSeconds.optional(),
    metadata: z.record(z.string(), z.unknown()),
    versionsRemaining: z.number().int(),
    damaged,
  })
  .openapi("FileMetadata", {
    example: {
      id: "01KAZ5T6Q4M7R8S9T0V1W2X3Y4",
      path: "/reports/hello.txt",
      name: "hello.txt",
      namespace: owner,
      size: 11,
      mimeType: "text/plain",
      cid: helloCid,
      contentHash: helloHash,
      version: 4,
      hidden: false,
      hiddenEffective: false,
      public: false,
      createdAt: 1_795_266_000,
      updatedAt: 1_795_266_060,
      createdBy: owner,
      metadata: { revertedTo: 1 },
      versionsRemaining: 46,
    },
  });
export const filePage = page(fileMetadata).openapi("FilePage");

export const editedFile = fileMetadata.extend({ replacements: z.number().int() }).openapi("EditedFile");

const versionEntry = z
  .object({
    version: z.number().int(),
    cid: z.string(),
    size: z.number().int(),
    contentHash: z.string(),
    mimeType: z.string(),
    path: z.string(),
    current: z.boolean(),
    createdAt: unixSeconds,
    createdBy: z.string(),
    label: z.string().optional(),
    pinned: z.boolean().optional(),
    damaged,
  })
  .openapi("VersionEntry");
export const versionList = z
  .object({
    fileId: z.string(),
    cap: z.number().int(),
    count: z.number().int(),
    versions: z.array(versionEntry).openapi({ description: "Newest first, the head first." }),
  })
  .openapi("VersionList", {
    example: {
      fileId: "01KAZ5T6Q4M7R8S9T0V1W2X3Y4",
      cap: 50,
      count: 1,
      versions: [
        {
          version: 1,
          cid: helloCid,
          size: 11,
          contentHash: helloHash,
          mimeType: "text/plain",
          path: "/reports/hello.txt",
          current: true,
          createdAt: 1_795_266_000,
          createdBy: owner,
        },
      ],
    },
  });
export const versionResponse = versionEntry;

export const batchResponse = z
  .object({
    results: z.array(
      z.object({
        id: z.string(),
        ok: z.boolean(),
        status: z.number().int(),
        code: z.string().optional(),
        path: z.string().optional(),
        error: z.string().optional(),
        receipt: z.string().optional().openapi({ description: "For a purged file: compact JWS of the service." }),
        pending: z.literal(true).optional().openapi({ description: "With status 202: see PurgedFile." }),
      }),
    ),
    succeeded: z.number().int(),
    failed: z.number().int(),
  })
  .openapi("BatchAnswer", {
    example: {
      results: [
        { id: "01KAZ5T6Q4M7R8S9T0V1W2X3Y4", ok: true, status: 200, path: "/archive/hello.txt" },
        {
          id: "01KAZ5T6Q4M7R8S9T0V1W2X3Y5",
          ok: false,
          status: 409,
          code: "STALE_MOVE",
          error: "The file is at version 3, not 2.",
        },
      ],
      succeeded: 1,
      failed: 1,
    },
  });

export const textLines = z
  .object({
    text: z.string(),
    offset: z.number().int(),
    count: z.number().int(),
    hasMore: z.boolean(),
    totalLines: z.number().int(),
  })
  .openapi("TextLines");

export const usage = z
  .object({
    bytes: z.number().int(),
    files: z.number().int(),
    versions: z.number().int(),
    quota: z.number().int().nullable(),
  })
  .openapi("Usage");

export const cidPage = page(
  z.object({
    cid: z.string(),
    size: z.number().int(),
    contentHash: z.string(),
    mimeType: z.string(),
    current: z.boolean().openapi({ description: "False when only older versions have it." }),
    fileId: z.string().optional(),
    path: z.string().optional(),
  }),
).openapi("CidPage");

const versionRef = z.object({ version: z.number().int(), cid: z.string() });
export const versionDiff = z
  .object({
    fileId: z.string(),
    path: z.string(),
    from: versionRef,
    to: versionRef,
    diff: z.string().openapi({ description: "Unified diff." }),
    patch: z
      .array(z.record(z.string(), z.unknown()))
      .nullable()
      .openapi({ description: "RFC 6902, when both are JSON." }),
  })
  .openapi("VersionDiff");

export const searchPage = page(
  z.object({
    file: fileMetadata,
    snippets: z.array(z.object({ line: z.number().int(), text: z.string() })),
  }),
).openapi("SearchPage");

export const grepPage = page(
  z.object({
    id: z.string(),
    path: z.string(),
    version: z.number().int(),
    line: z.number().int(),
    text: z.string(),
  }),
).openapi("GrepPage");

export const eventPage = page(
  z.object({
    id: z.string(),
    sequence: z.number().int(),
    kind: z.string(),
    namespace: z.string(),
    fileId: z.string().optional(),
    version: z.number().int().optional(),
    actor: z.string().optional(),
    invoker: z.string().optional(),
    tokenCid: z.string().optional(),
    runId: z.string().optional(),
    toolCallId: z.string().optional(),
    cidHmac: z.string().optional(),
    at: unixSeconds,
    recordedAt: z.string(),
    hash: z.string(),
  }),
).openapi("FileEventPage");

export const folderMarks = z
  .object({ path: z.string(), hidden: z.boolean(), hiddenEffective: z.boolean(), public: z.boolean() })
  .openapi("FolderMarks");

const folderEntry = z.object({
  kind: z.literal("folder"),
  path: z.string(),
  name: z.string(),
  files: z.number().int().openapi({ description: "At all depths; a lower bound if `more` is true." }),
  more: z.boolean(),
  hidden: z.boolean(),
  hiddenEffective: z.boolean(),
  public: z.boolean(),
});
export const treeResponse = page(z.union([folderEntry, fileMetadata.extend({ kind: z.literal("file") })]))
  .extend({ path: z.string() })
  .openapi("Tree");

export const prunedVersions = z
  .object({
    fileId: z.string(),
    pruned: z.array(z.number().int()),
    count: z.number().int(),
    versionsRemaining: z.number().int(),
  })
  .openapi("PrunedVersions");

export const purgedFile = z
  .object({
    id: z.string(),
    receipt: z.string().openapi({ description: "Compact JWS of the service." }),
    pending: z.literal(true).optional().openapi({
      description: "With 202: nobody can access the file, but its secret or bytes could not be destroyed yet.",
    }),
  })
  .openapi("PurgedFile");
