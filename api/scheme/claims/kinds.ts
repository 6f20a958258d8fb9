import type { z } from "@hono/zod-openapi";
import type { RequestContext, Scope } from "../../platform/http/index.ts";

/** A kind of claim that another feature adds to `/v1/claims`, in addition to delivery claims. */
export type ClaimKind = {
  /** Schema of its request; `type` identifies the kind. */
  request: z.ZodObject<{ type: z.ZodLiteral<string> }>;
  answer: z.ZodType;
  /** Scopes that allow an integrator to file it. */
  scopes: readonly Scope[];
  /** Scopes that allow an integrator to read it. */
  readScopes: readonly Scope[];
  /** File the claim of a request that `request` has parsed. */
  file: (ctx: RequestContext, request: never) => Promise<unknown>;
  /** Whether an id is of this kind. */
  hasId: (id: string) => boolean;
  /** Read a claim. @throws AppError FORBIDDEN, NOT_FOUND */
  read: (ctx: RequestContext, id: string) => Promise<unknown>;
};
