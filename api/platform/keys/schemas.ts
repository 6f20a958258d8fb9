import { z } from "@hono/zod-openapi";
import { listQuery, page, roles, scopes } from "../http/index.ts";
import { isRange } from "../values/networks.ts";
import { integer } from "../values/numbers.ts";
import { did, freeText, identifier, timestamp } from "../values/text.ts";

const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "32 bytes in base64url are expected.");
const jwkExtras = {
  kid: z.string().max(256).optional(),
  use: z.literal("sig").optional(),
  alg: z.enum(["ES256", "EdDSA", "Ed25519"]).optional(),
  key_ops: z.array(z.string().max(32)).max(8).optional(),
  ext: z.boolean().optional(),
};

/** Public key of DPoP proofs: P-256 or Ed25519. A private key's fields are refused as unknown. */
export const publicJwk = z
  .discriminatedUnion("kty", [
    z.strictObject({ kty: z.literal("EC"), crv: z.literal("P-256"), x: coordinate, y: coordinate, ...jwkExtras }),
    z.strictObject({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: coordinate, ...jwkExtras }),
  ])
  .openapi("PublicJwk");

const range = z
  .string()
  .max(64)
  .refine(isRange, { message: "An address or CIDR range is expected.", params: { rule: "ip-range" } });

const scope = z.enum(scopes, {
  error: ({ input }) =>
    typeof input === "string"
      ? `There is no scope ${JSON.stringify(input.slice(0, 64))}. There are ${scopes.join(", ")}.`
      : "A scope is expected, as text.",
});

/** Build the schema of a list without duplicates. */
function distinct<T extends z.ZodType<string>>(item: T, max: number) {
  return z
    .array(item)
    .max(max)
    .superRefine((list, check) => {
      for (const [i, each] of list.entries()) {
        if (list.indexOf(each) === i) continue;
        const message = `${JSON.stringify(each)} is in the list twice.`;
        check.addIssue({ code: "custom", path: [i], message, params: { rule: "distinct" } });
      }
    });
}

export const newApiKey = z
  .strictObject({
    role: z.enum(roles),
    name: freeText(200),
    supplierDid: did.optional().openapi({ description: "The supplier that the key acts for; required for that role." }),
    implementerDid: did
      .optional()
      .openapi({ description: "The implementer that the key acts for; required for that role." }),
    publicJwk: publicJwk.optional().openapi({ description: "Public key of the DPoP proofs; required for suppliers." }),
    scopes: distinct(scope, 100).optional().openapi({
      description: "What an integrator may do. Without scopes it may read what every key may read.",
    }),
    dids: distinct(did, 1000).optional().openapi({
      description:
        "DIDs that an integrator may act for; absent means all. Of an evaluator: the verifier's DIDs, by which several keys are one verifier.",
    }),
    ipRanges: z.array(range).min(1).max(100).optional(),
    requestsPerMinute: integer(1, 1_000_000).optional(),
    expiresAt: timestamp.optional(),
  })
  .openapi("NewApiKey");
export type NewApiKey = z.output<typeof newApiKey>;

export const apiKey = z
  .object({
    id: z.string().openapi({ example: "k3j9x0a7b2c1" }),
    name: z.string(),
    role: z.enum(roles),
    supplierDid: z.string().nullable(),
    implementerDid: z.string().nullable(),
    publicJwk: publicJwk.nullable(),
    scopes: z.array(z.string()),
    dids: z.array(z.string()).nullable(),
    ipRanges: z.array(z.string()).nullable(),
    requestsPerMinute: z.number().int().nullable(),
    adapter: z.string().nullable().openapi({
      description: "Adapter that made the key for a device or a gateway, such as `phones`; null for other keys.",
    }),
    createdBy: z.string(),
    createdAt: z.string(),
    expiresAt: z.string().nullable(),
    revokedAt: z.string().nullable(),
    lastUsedAt: z.string().nullable().openapi({
      description: "Time of the last authenticated request; other processes store it within a minute. Null: none yet.",
    }),
  })
  .openapi("ApiKey");
export type ApiKey = z.output<typeof apiKey>;

export const createdApiKey = apiKey
  .extend({ key: z.string().openapi({ description: "The whole key. It is shown only once." }) })
  .openapi("CreatedApiKey");
export type CreatedApiKey = z.output<typeof createdApiKey>;

export const keyHolder = apiKey
  .pick({ id: true, role: true, supplierDid: true, implementerDid: true, scopes: true, dids: true })
  .openapi("KeyHolder");
export type KeyHolder = z.output<typeof keyHolder>;

export const apiKeyPage = page(apiKey);
export const apiKeyQuery = listQuery.extend({ role: z.enum(roles).optional() });
export type ApiKeyQuery = z.output<typeof apiKeyQuery>;
export const apiKeyParams = z.strictObject({ id: identifier(64) });
