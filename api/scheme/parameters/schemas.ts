import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../platform/http/index.ts";
import { exactDecimal } from "../../platform/values/numbers.ts";
import { bytes32, calendarDate, freeText, identifier } from "../../platform/values/text.ts";
import { figureKinds } from "../emissions/index.ts";

/** Most decimals of a value on chain. */
export const VALUE_DECIMALS = 18;
const largest = 10n ** 30n;

/** Records for the reports of Article 6 ([reports](../../../docs/reports.md)). */
export const article6Kinds = ["ndc-method", "ndc-level", "ndc-emissions", "mechanism", "corsia"] as const;
/** Records for certificates: the carbon registries, and whether certificates need a recorded one. */
export const registryKinds = ["registry", "registry-alias", "registry-list"] as const;
/** Rules of the scheme that the regulator sets for campaigns. */
export const campaignKinds = ["measurement-order"] as const;
/** Records of a monitoring plan, which the terms of its campaigns must not contradict. */
export const planKinds = ["plan-area", "plan-fuel"] as const;
/** The one key of the records of these kinds. */
export const MEASUREMENT_KEY = "campaigns";
export const parameterKinds = [
  ...figureKinds,
  "method",
  "method-parameter",
  "method-minimum",
  ...registryKinds,
  ...campaignKinds,
  ...planKinds,
  ...article6Kinds,
] as const;
export type ParameterKind = (typeof parameterKinds)[number];

export const parameterId = z
  .string()
  .regex(/^PRM-[1-9]\d{0,9}$/, "The id of a parameter is expected, such as PRM-1.")
  .openapi({ example: "PRM-1" });

const kind = z.enum(parameterKinds).openapi({
  description:
    "`fnrb`, `ef-grid` or `grid-losses` of an area, `ncv` (as weighed), `ncv-dry` (without water), `ef-co2`, `ef-nonco2` or `ef-upstream` of a fuel, the version of a `method`, a figure that a method has no default for (`method-parameter`), what a method's test must reach (`method-minimum`), a carbon `registry`, another name of one (`registry-alias`), whether certificates need a recorded one (`registry-list`), whether a campaign is drawn before it measures (`measurement-order`), where the households of a monitoring plan live (`plan-area`) and what they burn (`plan-fuel`), a Party's accounting method (`ndc-method`), its `ndc-level` or `ndc-emissions` of a year, the `mechanism` of a cooperative approach, or a registry's eligibility in a phase of `corsia`.",
});
const key = identifier(64).openapi({
  description:
    "Area, fuel, method, registry, monitoring plan, Party, year or approach; of a `method-parameter`: method, symbol and, if it is of one area, that area, such as mecd-specific-energy/SC_b/KEN; of a `method-minimum` the same with sample, days, usage-survey, usage-cohort or precision, such as vm0050-1/sample.",
  example: "ZMB",
});
const choice = identifier(32);
const source = freeText(512).openapi({ description: "Publication or decision that gives the value." });

const registryId = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "Lower-case letters, digits and single hyphens are expected.")
  .max(32)
  .openapi({ example: "gold-standard" });

export const newParameter = z
  .strictObject({
    kind,
    key,
    value: exactDecimal({ decimals: VALUE_DECIMALS, min: 0n, max: largest }).optional().openapi({
      description: "Exact value. A registry and `corsia` have none, and a kind with choices takes `choice` instead.",
    }),
    choice: choice.optional().openapi({
      description:
        "For `ndc-method`: `trajectory`, `averaging` or `cumulative`; for `mechanism`: `article-6.2` or `article-6.4`; for `registry-list`: `open` or `closed`; for `measurement-order`: `any` or `after-draw`; for `plan-area`: `ZMB`, `MWI`, `KEN` or `SSA`; for `plan-fuel`: a fuel that is weighed, such as `wood`.",
    }),
    registryId: registryId.optional().openapi({
      description:
        "Of a `registry`: its canonical id; absent: derived from its name. Of a `registry-alias`: the registry that the key names.",
    }),
    source,
    sourceHash: bytes32.optional().openapi({ description: "SHA-256 of the source's document." }),
    validFrom: calendarDate,
    validTo: calendarDate.optional().openapi({ description: "Last day; absent: no end." }),
  })
  .openapi("NewParameter", {
    example: {
      kind: "fnrb",
      key: "ZMB",
      value: 0.38,
      source: "ZEMA decision 2026/14",
      validFrom: "2026-01-01",
    },
  });
export type NewParameter = z.output<typeof newParameter>;

export const parameter = z
  .object({
    parameterId,
    kind: z.string(),
    key: z.string(),
    value: z.number().openapi({ description: "Exact." }),
    unit: z.string(),
    choice: z.string().nullable().openapi({ description: "What was chosen; null for a kind without choices." }),
    registry: z
      .object({ registryId: z.string(), name: z.string(), url: z.string().nullable(), aliases: z.array(z.string()) })
      .nullable()
      .openapi({
        description: "The carbon registry that a `registry` or `registry-alias` is about; null for other kinds.",
      }),
    source: z.string(),
    sourceHash: z.string().nullable(),
    validFrom: calendarDate,
    validTo: calendarDate.nullable(),
    supersededBy: parameterId.nullable().openapi({ description: "The next entry of the same kind and key." }),
    setAt: z.iso.datetime(),
    transactionHash: z.string(),
  })
  .openapi("Parameter");
export type ParameterResponse = z.infer<typeof parameter>;

export const parameterPage = page(parameter).openapi("ParameterPage");
export const parameterQuery = listQuery.extend({
  kind: kind.optional(),
  key: key.optional(),
  newest: z.enum(["true", "false"]).optional().openapi({ description: "`true`: without superseded entries." }),
});
export const parameterParams = z.object({
  parameterId: parameterId.openapi({ param: { name: "parameterId", in: "path" } }),
});
