import type { z } from "@hono/zod-openapi";
import type { RequestContext, Scope } from "../../platform/http/index.ts";

/** A kind of claim that another feature brings to `/v1/claims`, beside the delivery claims that are at home here. */
export type ClaimKind = {
  /** Its request; `type` tells the kinds apart. */
  request: z.ZodObject<{ type: z.ZodLiteral<string> }>;
  answer: z.ZodType;
  /** Scopes with which an integrator may file it. */
  scopes: readonly Scope[];
  /** File the claim of a request that `request` has read. */
  file: (ctx: RequestContext, request: never) => Promise<unknown>;
  /** Whether an id is of this kind. */
  hasId: (id: string) => boolean;
  /** @throws AppError NOT_FOUND */
  read: (ctx: RequestContext, id: string) => Promise<unknown>;
};
