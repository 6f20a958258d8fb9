import { z } from "@hono/zod-openapi";
import { isLosslessNumber } from "lossless-json";
import { errorResponses, jsonContent } from "../../platform/http/index.ts";
import type { Delegations } from "../auth/delegations.ts";
import type { CallerDeps } from "./require-caller.ts";
import { callerRoute, callerRouter } from "./router.ts";

const time = z
  .unknown()
  .transform((value, ctx): number => {
    const seconds = isLosslessNumber(value) ? Number(value.value) : Number.NaN;
    if (Number.isFinite(seconds) && seconds > 0) return seconds;
    ctx.addIssue({ code: "custom", message: "must be a time in seconds or milliseconds" });
    return z.NEVER;
  })
  .openapi({ type: "number" });

const delegationBody = z.strictObject({
  raw: z.string().min(1).max(100_000),
  issuer: z.string().max(1_024).optional(),
  audience: z.string().max(1_024).optional(),
  expiration: time.nullish(),
});

const capability = z.object({ can: z.string(), with: z.string(), nb: z.unknown().optional() });
const ok = z.object({ ok: z.literal(true) });

export type DelegationRouteDeps = CallerDeps & { delegations: Delegations };

export function delegationRoutes(deps: DelegationRouteDeps) {
  const { delegations } = deps;
  return callerRouter(deps)
    .openapi(routes.store, async (c) => {
      const { expiration, ...given } = c.req.valid("json");
      const stored = await delegations.store(c.get("caller").did, { ...given, expiration: expiration ?? undefined });
      return c.json({ ok: true as const, ...stored }, 200);
    })
    .openapi(routes.show, async (c) => {
      const held = await delegations.held(c.get("caller").did);
      if (held === null) return c.json({ authorized: false }, 200);
      const { expiration, capabilities } = held;
      return c.json({ authorized: true, expiration, capabilities }, 200);
    })
    .openapi(routes.remove, async (c) => {
      await delegations.remove(c.get("caller").did);
      return c.json({ ok: true as const }, 200);
    });
}

const routes = {
  store: callerRoute({
    method: "post",
    path: "/delegation",
    summary: "Give the oracle the caller's delegation",
    request: { body: { required: true, content: jsonContent(delegationBody) } },
    responses: {
      200: {
        description: "The delegation is stored until it expires (unix seconds)",
        content: jsonContent(ok.extend({ expiration: z.number() })),
      },
      ...errorResponses(400, 403),
    },
  }),
  show: callerRoute({
    method: "get",
    path: "/delegation",
    summary: "Read the caller's delegation to the oracle",
    responses: {
      200: {
        description: "Whether the oracle may act for the caller, until when (unix seconds), and with which abilities",
        content: jsonContent(
          z.object({
            authorized: z.boolean(),
            expiration: z.number().optional(),
            capabilities: z.array(capability).optional(),
          }),
        ),
      },
      ...errorResponses(),
    },
  }),
  remove: callerRoute({
    method: "delete",
    path: "/delegation",
    summary: "Delete the caller's delegation",
    responses: { 200: { description: "It is deleted", content: jsonContent(ok) }, ...errorResponses() },
  }),
};
