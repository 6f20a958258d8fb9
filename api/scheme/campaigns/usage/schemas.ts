import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../platform/http/index.ts";
import { linkedEvidence } from "../../../platform/values/linked-evidence.ts";
import { integer } from "../../../platform/values/numbers.ts";
import { calendarDate, did, freeText } from "../../../platform/values/text.ts";
import { dropReasons } from "../groups.ts";
import { campaignId } from "../schemas.ts";

const position = integer(0, 1_000_000).openapi({
  description: "Place of the drawn device: by age, and of one age in the order of the draw.",
});

const evidence = linkedEvidence.openapi("UsageEvidence", {
  description: "A photo or another file, by its URI; nothing is fetched.",
});

export const newUsageRecord = z
  .strictObject({
    position,
    householdId: did.openapi({ description: "Where the device was looked for: the household of its registration." }),
    deviceSeen: z.boolean(),
    inUse: z.boolean().openapi({ description: "Whether the household uses the device." }),
    date: calendarDate.openapi({ description: "Day of the visit." }),
    surveyorDid: did,
    evidence: z.array(evidence).min(1).max(32),
    note: freeText(1000).optional(),
  })
  .openapi("NewUsageRecord");
export type NewUsageRecord = z.infer<typeof newUsageRecord>;

export const newUsageMissing = z
  .strictObject({
    position,
    reason: z.enum(dropReasons),
    evidence: z.array(evidence).max(32).optional().openapi({ description: "`other` needs a piece." }),
    note: freeText(1000).optional(),
  })
  .openapi("NewUsageMissing");
export type NewUsageMissing = z.infer<typeof newUsageMissing>;

const record = z.object({
  deviceSeen: z.boolean().nullable(),
  inUse: z.boolean().nullable(),
  date: z.string().nullable(),
  surveyorDid: did.nullable(),
  reason: z.enum(dropReasons).nullable(),
  note: z.string().nullable(),
  evidence: z.array(evidence),
  recordedAt: z.iso.datetime(),
});

export const usagePosition = z
  .object({
    position: z.number().int(),
    age: z.number().int(),
    serial: z.string(),
    householdId: did.nullable(),
    status: z.enum(["open", "surveyed", "missing"]),
    record: record.nullable(),
  })
  .openapi("UsagePosition", { description: "A drawn device, and how its position ended." });
export type UsagePositionResponse = z.infer<typeof usagePosition>;

export const usagePositionPage = page(usagePosition).openapi("UsagePositionPage");
export const usagePositionQuery = listQuery;

export const usageSurvey = z
  .object({
    campaignId,
    day: calendarDate.openapi({ description: "On which a device had to be in place, and has its age." }),
    root: z.string().openapi({ description: "Merkle root of the devices' keyed hashes, on chain before the draw." }),
    drawn: z.boolean().openapi({ description: "False: before the draw, or the frame is not in this database." }),
    complete: z.boolean().openapi({ description: "Every drawn position has ended." }),
    cohorts: z.array(
      z.object({
        age: z.number().int().openapi({ description: "Year of life on `day`, from 1." }),
        devices: z.number().int(),
        sample: z.number().int(),
        inUse: z.number().int(),
        notInUse: z.number().int(),
        missing: z.number().int().openapi({ description: "Counted as surveyed and not in use." }),
        open: z.number().int(),
        lowerBound: z
          .number()
          .nullable()
          .openapi({ description: "Exact, of the positions that ended; null without one. At 12 decimals." }),
      }),
    ),
  })
  .openapi("UsageSurvey");
export type UsageSurveyResponse = z.infer<typeof usageSurvey>;
