import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../api/platform/http/index.ts";
import { did, freeText, identifier } from "../../../api/platform/values/text.ts";
import { refuseMoreThanAddress } from "../../../api/platform/values/url-parts.ts";
import { formKinds } from "../../records/forms/question.ts";

const mostFields = 200;

const fieldMapping = z
  .strictObject({
    field: identifier(200).openapi({ description: "A field of Hearth's form.", example: "people/children" }),
    question: identifier(500).openapi({ description: "The question in Kobo's form.", example: "group_ab1/kids" }),
  })
  .openapi("KoboFieldMapping");

const mapping = z.array(fieldMapping).max(mostFields).openapi({
  description:
    "Where Kobo's form names a question otherwise. A field without an entry is read from the question of its name.",
});

export const newConnection = z
  .strictObject({
    name: freeText(100),
    serverUrl: z
      .url({ protocol: /^https?$/ })
      .max(300)
      .superRefine(refuseMoreThanAddress)
      .openapi({ description: "Address of the KoboToolbox server.", example: "https://eu.kobotoolbox.org" }),
    assetUid: z
      .string()
      .regex(/^[A-Za-z0-9]{1,64}$/, "The id of a Kobo project is expected, such as aBcD3fGh.")
      .openapi({ description: "The project's id, from the address of its page." }),
    token: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/, "An API token is expected.")
      .openapi({
        format: "password",
        description: "API token of a Kobo account that may read and manage the project.",
      }),
    form: z.enum(formKinds),
    mapping: mapping.default([]),
    collectorDid: did.openapi({ description: "Who collects, as records name who weighed or surveyed." }),
    implementerDid: did,
    campaignId: identifier(128).optional().openapi({ description: "Required for `kpt` and `usage`." }),
    planId: identifier(128).optional().openapi({ description: "Required for `device`." }),
    supplierDid: did.optional().openapi({ description: "Required for `delivery`." }),
  })
  .openapi("NewKoboConnection");
export type NewConnection = z.output<typeof newConnection>;

export const connection = z
  .object({
    id: z.string().openapi({ example: "k3j9x0a7b2c1" }),
    name: z.string(),
    serverUrl: z.string(),
    assetUid: z.string(),
    form: z.enum(formKinds),
    mapping: z.array(fieldMapping),
    collectorDid: did,
    implementerDid: did,
    campaignId: z.string().nullable(),
    planId: z.string().nullable(),
    supplierDid: z.string().nullable(),
    keyId: z.string().openapi({ description: "The API key with which records are written." }),
    hookUid: z
      .string()
      .nullable()
      .openapi({ description: "Kobo's REST Service. Null when there is none: a check makes it again." }),
    createdBy: z.string(),
    createdAt: z.string(),
    revokedAt: z.string().nullable(),
  })
  .openapi("KoboConnection");
export type Connection = z.output<typeof connection>;

export const connectionDetail = connection
  .extend({
    waiting: z.number().int().openapi({ description: "Records that rang and are not read yet." }),
    failing: z.number().int().openapi({ description: "Those of them whose last attempt failed." }),
    lastError: z.string().nullable().openapi({ description: "Why the latest one failed." }),
  })
  .openapi("KoboConnectionDetail");
export type ConnectionDetail = z.output<typeof connectionDetail>;

export const connectionCheck = z
  .object({
    project: z.string().openapi({ description: "The project's name at Kobo." }),
    deployed: z.boolean(),
    records: z.number().int().openapi({ description: "How many records the project has." }),
    hook: z.enum(["active", "activated", "made"]).openapi({ description: "What was done to the REST Service." }),
    changed: z.number().int().openapi({ description: "Records that are new or were edited, and are read now." }),
    missing: z
      .array(z.string())
      .openapi({ description: "Required fields of Hearth's form for which Kobo's form has no question." }),
  })
  .openapi("KoboConnectionCheck");
export type ConnectionCheck = z.output<typeof connectionCheck>;

export const connectionFields = z
  .object({
    fields: z.array(
      z.object({
        field: z.string(),
        label: z.string(),
        kind: z.string(),
        required: z.boolean(),
        question: z.string().openapi({ description: "The question that it is read from now." }),
        found: z.boolean().openapi({ description: "Whether Kobo's form has that question." }),
      }),
    ),
    questions: z.array(z.object({ path: z.string(), type: z.string(), label: z.string() })),
  })
  .openapi("KoboConnectionFields");
export type ConnectionFields = z.output<typeof connectionFields>;

export const newMapping = z.strictObject({ mapping }).openapi("NewKoboMapping");
export const connectionPage = page(connection).openapi("KoboConnectionPage");
export const connectionQuery = listQuery;
export const connectionParams = z.object({ id: identifier(64).openapi({ param: { name: "id", in: "path" } }) });
