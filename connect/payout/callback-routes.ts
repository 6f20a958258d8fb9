import type { Context } from "hono";
import { Hono } from "hono";
import { AppError } from "../../api/platform/errors.ts";
import { type App, type AppEnv, limitFailures, readBody } from "../../api/platform/http/index.ts";
import type { PayoutDeps } from "./deps.ts";
import { partnerOfToken } from "./partners/service.ts";

const mostBytes = 16 * 1024;
/** What partners call our ids by: MTN, and Airtel inside `transaction`. */
const paymentId = /"externalId"\s*:\s*"(PAY-[0-9A-Z*~$=]{21})"/;
const transferId = /"id"\s*:\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/;

/**
 * Routes that partners call when a transfer has ended. A call changes nothing: the status is asked at the partner now instead of later.
 * Bodies are never logged, because they hold numbers.
 */
export function callbackRoutes(deps: PayoutDeps): App {
  const app = new Hono<AppEnv>();
  app.on(["PUT", "POST"], "/key/:token", async (c) => {
    const partner = await partnerOfToken(deps, c.req.param("token"));
    if (partner === undefined) throw await forbidden(c);
    const body = new TextDecoder().decode(await readBody(c, mostBytes));
    const named = paymentId.exec(body)?.[1] ?? (await paymentOf(deps, transferId.exec(body)?.[1]));
    if (named !== undefined) {
      await deps.attempts.lookAgain(named, partner.id);
      deps.nudge();
    }
    return c.body(null, 204);
  });
  return app as unknown as App;
}

async function paymentOf({ attempts }: PayoutDeps, reference: string | undefined): Promise<string | undefined> {
  return reference === undefined ? undefined : (await attempts.find(reference))?.paymentId;
}

async function forbidden(c: Context<AppEnv>): Promise<AppError> {
  await limitFailures(c);
  return new AppError("FORBIDDEN", "This address belongs to no payout partner.");
}
