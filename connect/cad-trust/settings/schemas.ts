import { z } from "@hono/zod-openapi";
import { integer } from "../../../api/platform/values/numbers.ts";
import { calendarDate, did, freeText, identifier, timestamp } from "../../../api/platform/values/text.ts";

const link = z.url({ protocol: /^https?$/ }).max(500);
const party = z
  .string()
  .regex(/^[A-Z]{3}$/, "Three capital letters are expected, as ISO 3166 alpha-3 has them.")
  .openapi({ example: "ZMB" });
/** A value of one of the server's lists of allowed values. */
const listed = freeText(255);
const most = 500;

const methodology = z.strictObject({
  code: identifier(100).openapi({ description: "Own id of the methodology, such as GS-TPDDTEC." }),
  name: freeText(500),
  version: freeText(50).optional(),
  date: calendarDate.optional(),
  link: link.optional(),
  type: listed.optional(),
});

const program = z.strictObject({
  name: freeText(255),
  registry: freeText(255),
  registryActivityId: identifier(255).openapi({ description: "Own id of the program." }),
  registryProgramId: identifier(255).optional(),
  description: freeText(2000).optional(),
});

const project = z.strictObject({
  activityId: identifier().openapi({
    description: "The activity of the certificates. It is also the project's id on the server.",
  }),
  name: freeText(500),
  link,
  description: freeText(2000).optional(),
  creditingProgram: freeText(255).optional(),
  sectors: z.array(listed).min(1).max(20),
  types: z.array(listed).min(1).max(20),
  subtype: freeText(255).optional(),
  status: listed,
  statusDate: calendarDate,
  unitMetric: listed.default("tCO2e"),
  locations: z
    .array(z.strictObject({ country: party, region: freeText(255).optional() }))
    .min(1)
    .max(50),
  methodologyCode: identifier(100),
  methodologyDate: calendarDate.optional(),
  validation: z
    .strictObject({
      id: identifier(255),
      type: listed,
      body: listed,
      date: calendarDate.optional(),
      creditingPeriod: z.strictObject({ startDate: calendarDate, endDate: calendarDate }).optional(),
    })
    .optional(),
  estimations: z
    .array(
      z.strictObject({
        referenceNo: identifier(255),
        startDate: calendarDate,
        endDate: calendarDate,
        unitCount: z
          .string()
          .regex(/^\d{1,15}(\.\d{1,6})?$/, "Decimal text with at most 6 decimals is expected.")
          .openapi({ example: "12000" }),
      }),
    )
    .max(100)
    .default([]),
  coBenefits: z.array(listed).max(17).default([]),
});
export type ProjectSettings = z.output<typeof project>;

/** What the publisher cannot read from the index. */
export const profile = z
  .strictObject({
    party: party.openapi({ description: "The Party whose reports and units are published." }),
    author: freeText(100).openapi({ description: "Named in each commit." }),
    registryName: freeText(255).openapi({ description: "The registry of the projects." }),
    program: program.optional(),
    methodologies: z.array(methodology).min(1).max(100),
    projects: z.array(project).min(1).max(most),
    verifiers: z
      .array(z.strictObject({ did, body: listed }))
      .max(most)
      .default([])
      .openapi({ description: "The verification body that each verifier's DID belongs to." }),
    unitType: listed.default("Reduction - technical"),
    unitMetric: listed.default("tCO2e"),
    submissions: z
      .array(
        z.strictObject({
          year: integer(2021, 2100),
          version: z.string().regex(/^[1-9]\d{0,3}\.\d{1,4}$/, "X.Y is expected, the first 1.0."),
          date: calendarDate,
        }),
      )
      .max(100)
      .default([])
      .openapi({ description: "Years whose agreed electronic format was submitted, and when." }),
    values: z
      .record(identifier(100), z.record(freeText(255), listed))
      .default({})
      .openapi({
        description: "By field, what stands for a value in the server's list of allowed values.",
        example: { locationCountry: { ZMB: "Republic of Zambia" } },
      }),
  })
  .openapi("CadTrustProfile");
export type Profile = z.output<typeof profile>;

const server = {
  serverUrl: link.openapi({ example: "http://127.0.0.1:31310" }),
  version: z.literal("v2").default("v2"),
  dryRun: z.boolean().default(true).openapi({ description: "True: plans are made, and nothing is sent." }),
};

export const newSettings = z
  .strictObject({
    ...server,
    apiKey: freeText(200)
      .nullable()
      .optional()
      .openapi({ format: "password", description: "Null removes it; absent keeps it." }),
    profile,
    changedAt: timestamp.nullable().optional().openapi({
      description:
        "`changedAt` of the settings that were read, or null where there were none. If they were changed since, nothing is stored. Absent: they are replaced in any case.",
    }),
  })
  .openapi("NewCadTrustSettings");
export type NewSettings = z.output<typeof newSettings>;

export const settings = z
  .object({
    serverUrl: z.string(),
    version: z.string(),
    dryRun: z.boolean(),
    hasApiKey: z.boolean(),
    profile,
    changedBy: z.string(),
    changedAt: timestamp,
  })
  .openapi("CadTrustSettings");
export type Settings = z.output<typeof settings>;
