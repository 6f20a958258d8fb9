import { z } from "@hono/zod-openapi";
import { AppError } from "../../platform/errors.ts";
import { listQuery } from "../../platform/http/index.ts";
import { parseFolder, parsePath } from "../../platform/ucan/index.ts";
import { integer } from "../../platform/values/numbers.ts";
import { identifier } from "../../platform/values/text.ts";

/** Run a parser that throws AppError as part of a schema, so that one error names every invalid field. */
function parsedBy(parse: (text: string, field: string) => string) {
  return z.string().transform((text, ctx): string => {
    try {
      return parse(text, "path");
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      for (const { rule, message } of error.details) ctx.addIssue({ code: "custom", message, params: { rule } });
      return z.NEVER;
    }
  });
}

const pathDescription =
  "Absolute, 1–1024 characters; no empty segment, `.`, `..`, backslash, control character, bidi control or slash at the end.";
export const filePath = parsedBy(parsePath).openapi({
  type: "string",
  minLength: 1,
  maxLength: 1024,
  description: pathDescription,
  example: "/reports/2026/kpt.csv",
});
export const folderPath = parsedBy(parseFolder).openapi({
  type: "string",
  minLength: 1,
  maxLength: 1024,
  description: `${pathDescription} \`/\` is the whole namespace.`,
  example: "/reports",
});
const folderOrRoot = folderPath.default("/");

const fileId = identifier(128).openapi({ example: "01KAZ5T6Q4M7R8S9T0V1W2X3Y4" });
export const fileParams = z.object({ id: fileId });

/** Largest value of the database's version column. */
const maxVersion = 2_147_483_647;

/** A whole number in a path or query. */
function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,9})$/, "Must be a whole number without leading zeros.")
    .transform(Number)
    .refine((value) => value >= min && value <= max, {
      message: `Must be from ${min} to ${max}.`,
      params: { rule: "range" },
    })
    .openapi({ type: "integer", minimum: min, maximum: max });
}

const versionNumber = wholeNumber(1, maxVersion).openapi({ example: 3 });
/** A number that no version has. */
const noVersion = 0;
/** A version in a path. A number out of range gets the same NOT_FOUND as a missing version. */
const versionInPath = z
  .string()
  .regex(/^(0|[1-9]\d{0,63})$/, "Must be a whole number without leading zeros.")
  .transform((digits) => (Number(digits) > maxVersion ? noVersion : Number(digits)))
  .openapi({ type: "integer", minimum: 1, maximum: maxVersion, example: 3 });
export const versionParams = z.object({ id: fileId, version: versionInPath });
const cidText = z
  .string()
  .min(1)
  .max(512)
  .openapi({ example: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e" });
export const cidParams = z.object({ cid: cidText });

const flagInQuery = z.enum(["true", "false"]).transform((text) => text === "true");

export const createQuery = z.strictObject({
  path: filePath,
  hidden: flagInQuery.optional(),
  public: flagInQuery.optional(),
});
export const fileQuery = z.strictObject({ path: filePath });
export const folderQuery = z.strictObject({ path: folderOrRoot });
/** A cursor of these lists contains a path. */
export const pathListQuery = listQuery.extend({ cursor: z.string().max(8192).optional() });
export const listFilesQuery = pathListQuery.extend({ path: folderOrRoot });
export const globQuery = pathListQuery.extend({
  pattern: z.string().min(1).max(1024).openapi({ example: "/reports/**/*.csv" }),
});
export const searchQuery = pathListQuery.extend({ q: z.string().min(1).max(512), path: folderOrRoot });
export const grepQuery = searchQuery.extend({
  regex: flagInQuery.optional().openapi({ description: "q is an expression in RE2 syntax." }),
  ignoreCase: flagInQuery.optional(),
  glob: z.string().min(1).max(1024).optional().openapi({ description: "Only files whose paths match." }),
});
export const linesQuery = z.strictObject({
  offset: wholeNumber(1, maxVersion).default(1).openapi({ description: "First line, from 1." }),
  limit: wholeNumber(1, 5000).default(2000),
});
export const diffQuery = z.strictObject({ from: versionNumber, to: versionNumber });

export const editRequest = z
  .strictObject({ oldString: z.string().min(1), newString: z.string(), replaceAll: z.boolean().optional() })
  .openapi("EditRequest", { example: { oldString: "world", newString: "there" } });
const maxBatch = 1000;
export const moveRequest = z
  .strictObject({
    items: z
      .array(z.strictObject({ id: fileId, destinationPath: z.string(), version: integer(1, maxVersion).optional() }))
      .min(1)
      .max(maxBatch),
  })
  .openapi("MoveRequest", {
    example: { items: [{ id: "01KAZ5T6Q4M7R8S9T0V1W2X3Y4", destinationPath: "/archive/hello.txt", version: 4 }] },
  });
export const idsRequest = z
  .strictObject({ ids: z.array(fileId).min(1).max(maxBatch) })
  .openapi("FileIds", { example: { ids: ["01KAZ5T6Q4M7R8S9T0V1W2X3Y4"] } });
export const hiddenRequest = z
  .strictObject({ hidden: z.boolean() })
  .openapi("HiddenRequest", { example: { hidden: true } });
export const publicRequest = z
  .strictObject({ public: z.boolean() })
  .openapi("PublicRequest", { example: { public: true } });
export const folderHiddenRequest = z
  .strictObject({ path: folderPath, hidden: z.boolean() })
  .openapi("FolderHiddenRequest", { example: { path: "/drafts", hidden: true } });
export const folderPublicRequest = z
  .strictObject({ path: folderPath, public: z.boolean() })
  .openapi("FolderPublicRequest", { example: { path: "/site", public: true } });
export const labelRequest = z
  .strictObject({ label: z.string().max(200).nullable().optional(), pinned: z.boolean().optional() })
  .openapi("LabelRequest", { example: { label: "as submitted", pinned: true } });
export const pruneRequest = z.strictObject({ keep: integer(1, 50) }).openapi("PruneRequest", { example: { keep: 10 } });
