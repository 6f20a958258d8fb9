import { z } from "@hono/zod-openapi";
import { brokenRule, listQuery, page } from "../../../api/platform/http/index.ts";
import { did, freeText, identifier } from "../../../api/platform/values/text.ts";
import { fieldKinds } from "../../records/fields.ts";
import { formKinds } from "../../records/forms/question.ts";
import { submissionStatuses } from "../../records/statuses.ts";
import { correctionPlaces } from "./correct-in.ts";

const region = z.string().max(128);

export const submission = z
  .object({
    id: z.string().openapi({ example: "01KQ5X7Z8M2B4C6D8E0F1G2H3J" }),
    form: z.enum(formKinds),
    formId: z.string(),
    version: z.string(),
    instanceId: z.string(),
    corrects: z
      .string()
      .nullable()
      .openapi({ description: "instanceID of the record that this one takes the place of." }),
    correctedBy: z.string().nullable().openapi({
      description:
        "API key or account that made this record as a correction; null for a record that a phone or KoboToolbox sent.",
    }),
    correctIn: z.enum(correctionPlaces).nullable().openapi({
      description:
        "Where a refused record can be corrected. `console`: by `POST /v1/odk/submissions/{id}/correction`. Null: there is nothing to correct.",
    }),
    collector: z.object({ id: z.string(), name: z.string().nullable() }),
    implementerDid: did,
    campaignId: z.string().nullable(),
    day: z.number().int().nullable().openapi({ description: "Of a KPT visit: the day of the test." }),
    region: z.string().nullable().openapi({ description: "Region or village of the household." }),
    status: z.enum(submissionStatuses).openapi({
      description:
        "`incomplete`: more files are expected. `received`: stored, not written yet. `waiting`: a KPT visit whose test is not complete.",
    }),
    resultId: z.string().nullable().openapi({ description: "What was made of it, such as the id of a claim." }),
    details: z.array(brokenRule).openapi({ description: "Every rule that it broke." }),
    receivedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .openapi("Submission");
export type Submission = z.output<typeof submission>;

const field = z.object({
  path: z.string().openapi({ example: "fuels.0.start" }),
  label: z.string(),
  kind: z.enum(fieldKinds),
  choices: z.array(z.object({ name: z.string(), label: z.string() })).nullable(),
  required: z.boolean(),
  answer: z.string().nullable(),
});

export const submissionDetail = submission
  .extend({
    answers: z.record(z.string(), z.unknown()).openapi({ description: "The valid answers, by the names of the form." }),
    fields: z
      .array(field)
      .openapi({ description: "The questions in the form's order, with the answers as they were sent." }),
    files: z.array(
      z.object({
        name: z.string(),
        cid: z.string(),
        sha256: z.string(),
        size: z.number().int(),
        mimeType: z.string().openapi({ description: "Of a photo, by its content." }),
      }),
    ),
  })
  .openapi("SubmissionDetail");
export type SubmissionDetail = z.output<typeof submissionDetail>;

const count = z.number().int();
export const progress = z
  .object({
    collector: z.object({ id: z.string(), name: z.string().nullable() }),
    region: z.string().nullable().openapi({ description: "Region or village; null where it is not known." }),
    incomplete: count,
    received: count,
    waiting: count,
    accepted: count,
    refused: count,
    lastReceivedAt: z.iso.datetime(),
  })
  .openapi("CollectionProgress");
export type CollectionProgress = z.output<typeof progress>;
export const progressPage = page(progress).openapi("CollectionProgressPage");
const person = freeText(100)
  .optional()
  .openapi({ description: "Part of the name of the person who collected, in any case." });
export const progressQuery = listQuery.extend({ campaignId: identifier(128).optional(), person });
export type ProgressQuery = z.output<typeof progressQuery>;

export const submissionPage = page(submission).openapi("SubmissionPage");
export const submissionQuery = listQuery.extend({
  campaignId: identifier(128).optional(),
  collectorId: identifier(64).optional(),
  person,
  region: region.optional(),
  status: z.enum(submissionStatuses).optional(),
});
export type SubmissionQuery = z.output<typeof submissionQuery>;
export const submissionParams = z.object({ id: identifier(64).openapi({ param: { name: "id", in: "path" } }) });
export const fileParams = submissionParams.extend({
  name: z
    .string()
    .min(1)
    .max(1_000)
    .openapi({ param: { name: "name", in: "path" } }),
});
/** Photos that can be stored for the corrections of one record. */
export const mostNewPhotos = 20;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "64 lower-case hexadecimal digits are expected.");
const newFile = z.strictObject({ path: identifier(200).openapi({ example: "photo" }), sha256 });
export const storedPhoto = z
  .object({
    sha256: z.string().openapi({ description: "Names the photo in the correction." }),
    size: z.number().int(),
    mimeType: z.string().openapi({ description: "By its content.", example: "image/jpeg" }),
  })
  .openapi("StoredPhoto");
export type StoredPhoto = z.output<typeof storedPhoto>;
export const correction = z
  .strictObject({
    answers: z
      .array(z.strictObject({ path: identifier(200), answer: z.string().max(10_000) }))
      .max(500)
      .openapi({
        description:
          "The answers that change; an empty one removes the answer. None: the record is tried again as it is.",
      }),
    files: z.array(newFile).max(mostNewPhotos).optional().openapi({
      description:
        "Photos and signatures to add or replace, stored by `POST …/correction/files`. The earlier ones stay with the refused record.",
    }),
  })
  .openapi("SubmissionCorrection");
export type Correction = z.output<typeof correction>;
export const deletion = z.strictObject({ reason: freeText(200) }).openapi("SubmissionDeletion");
