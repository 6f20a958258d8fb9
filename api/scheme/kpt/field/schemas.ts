import { z } from "@hono/zod-openapi";
import { campaignGroups } from "../../../../wire/src/ids.ts";
import { kptFuels } from "../../../../wire/src/kpt-visits.ts";
import { did } from "../../../platform/values/text.ts";
import { flagRules } from "./flags.ts";
import { recordFlagRules, recordKinds } from "./record-flags.ts";

const claimFlag = z
  .object({
    claimId: z.string(),
    rule: z.enum(flagRules),
    path: z.string().openapi({ description: "Field of the claim; a visit is named by its day." }),
    message: z.string(),
    others: z
      .array(z.string())
      .openapi({ description: "Other claims with the same photo, or visited in that second." }),
  })
  .openapi("ClaimFlag", { description: "For an evaluator to review. It refuses nothing and changes no figure." });

const recordFlag = z
  .object({
    kind: z.enum(recordKinds).openapi({
      description:
        "replaced, missing: a drawn household; surveyed, survey-missing: a drawn device of the usage survey; installed: a device of the plan.",
    }),
    group: z.enum(campaignGroups).nullable().openapi({ description: "Null for an installed device." }),
    position: z.number().int().nullable().openapi({ description: "In the draw; null for an installed device." }),
    serial: z.string().nullable().openapi({ description: "Of an installed device." }),
    rule: z.enum(recordFlagRules),
    path: z.string().openapi({ description: "Piece of the record's evidence." }),
    message: z.string(),
    others: z.array(z.string()).openapi({
      description: "With the same photo, at most 100: claims, campaigns (by a record), and serials of devices.",
    }),
  })
  .openapi("RecordFlag", { description: "For an evaluator to review. It refuses nothing and changes no figure." });

export const campaignFlags = z
  .object({
    count: z.number().int(),
    items: z.array(claimFlag).openapi({ description: "The first 1 000." }),
    records: z
      .object({
        count: z.number().int(),
        items: z.array(recordFlag).openapi({ description: "The first 1 000." }),
      })
      .openapi({ description: "Flags of replaced and missing households, usage surveys and installed devices." }),
  })
  .openapi("CampaignClaimFlags");
export type CampaignFlags = z.infer<typeof campaignFlags>;

const degrees = z.number().nullable().openapi({ description: "Decimal degrees." });

export const claimChecks = z
  .object({
    claimId: z.string(),
    flags: z.array(claimFlag),
    photos: z.array(
      z.object({
        item: z.number().int().openapi({ description: "Place in the claim's evidence, from 0." }),
        sha256: z.string(),
        takenAt: z.string().nullable().openapi({ description: "EXIF time in the camera's time zone." }),
        latitude: degrees,
        longitude: degrees,
        device: z.string().nullable(),
      }),
    ),
    stoveSeries: z.array(
      z.object({
        item: z.number().int().openapi({ description: "Place in the claim's evidence, from 0." }),
        stove: z.string().nullable().openapi({ description: "Serial or kind, as the claim states it." }),
        measure: z.enum(["temperature", "state"]),
        readings: z.number().int(),
        firstAt: z.iso.datetime(),
        lastAt: z.iso.datetime(),
        events: z.number().int().openapi({ description: "Cooking events of the whole series." }),
        comparedWith: z.enum(["stove", "fuel"]).openapi({
          description:
            "stove: with the days on which the visits say that this stove was used; fuel: with the logged fuel.",
        }),
        days: z.array(
          z.object({
            day: z.number().int().openapi({ description: "From the first day of the period, 0." }),
            logged: z.boolean(),
            events: z.number().int(),
            hasReadings: z.boolean(),
          }),
        ),
      }),
    ),
    visits: z.array(
      z.object({
        day: z.number().int(),
        at: z.iso.datetime(),
        collector: did,
        latitude: degrees,
        longitude: degrees,
        fuels: z.array(
          z.object({
            fuel: z.enum(kptFuels),
            used: z.number().openapi({ description: "Kilograms, or kWh of electricity." }),
            scaleId: z.string().nullable(),
          }),
        ),
      }),
    ),
  })
  .openapi("ClaimChecks", {
    description:
      "Data of a claim's photos, visits and stove-use monitors, and the contradictions between them and the claim.",
  });
export type ClaimChecks = z.infer<typeof claimChecks>;
