import { createRoute, z } from "@hono/zod-openapi";
import type { Database } from "../../platform/db/index.ts";
import { errorResponses, jsonContent, limitAddress } from "../../platform/http/index.ts";
import { registerWalletKey, type WalletKey } from "../auth/wallet-keys.ts";
import type { Agent } from "../wire/turn.ts";
import { oracleRouter } from "./router.ts";
import { wholeNumber } from "./whole-number.ts";

const model = z.object({
  id: z.string(),
  label: z.string(),
  family: z.string(),
  tier: z.string(),
  costLabel: z.string(),
  badge: z.string(),
  blurb: z.string(),
  vision: z.boolean(),
  pricing: z.object({
    inputPerMillion: z.number(),
    outputPerMillion: z.number(),
    currency: z.literal("USD"),
    unit: z.literal("per_million_tokens"),
  }),
  isDefault: z.boolean(),
});

const isPublic = { tags: ["Oracle"], security: [] };

const listModels = createRoute({
  ...isPublic,
  method: "get",
  path: "/models",
  summary: "List the models that a message may choose",
  responses: {
    200: {
      description: "All models, and the default one",
      content: jsonContent(z.object({ models: z.array(model), default: z.string() })),
    },
  },
});

const walletKey = z.strictObject({
  did: z.string().max(256),
  keyDid: z.string().max(256),
  expiration: wholeNumber.openapi({ type: "integer", description: "Unix seconds, within 30 days" }),
  signature: z
    .string()
    .regex(/^0x[0-9a-fA-F]{130,}$/, "must be 0x and hexadecimal digits")
    .max(4_096),
});

const addKey = createRoute({
  ...isPublic,
  method: "post",
  path: "/v1/did-keys",
  summary: "Let a session key sign for a wallet's did:pkh or did:ethr; the signature is the authority",
  middleware: [limitAddress()] as const,
  request: { body: { required: true, content: jsonContent(walletKey) } },
  responses: {
    201: {
      description: "The key is registered until then",
      content: jsonContent(z.object({ did: z.string(), keyDid: z.string(), expiration: z.number() })),
    },
    ...errorResponses(400),
  },
});

export type PublicRouteDeps = {
  agent: Pick<Agent, "models">;
  did: string;
  db: Database;
  clock: { now: () => Date };
};

/** Routes that need no caller. */
export function publicOracleRoutes(deps: PublicRouteDeps) {
  return oracleRouter()
    .openapi(listModels, (c) => {
      const models = deps.agent.models();
      const chosen = models.find(({ isDefault }) => isDefault) ?? models[0];
      return c.json({ models, default: chosen?.id ?? "" }, 200);
    })
    .openapi(addKey, async (c) => {
      const { db, clock, did: audience } = deps;
      const key = c.req.valid("json") as WalletKey;
      await registerWalletKey({ db, clock, audience }, key);
      return c.json({ did: key.did, keyDid: key.keyDid, expiration: key.expiration }, 201);
    });
}
