import type { Context } from "hono";
import { Hono } from "hono";
import { AppError } from "../../api/platform/errors.ts";
import { type App, type AppEnv, clientAddress, limitFailures, readBody } from "../../api/platform/http/index.ts";
import { isInRanges, parseRanges } from "../../api/platform/values/networks.ts";
import type { PhoneDeps } from "./deps.ts";
import { gatewayOf, smsSettingsOf } from "./gateways/service.ts";
import { numberGiven } from "./number-given.ts";
import { incomingSms, receiveReport, receiveSms } from "./sms/inbox.ts";
import { isSignedByTwilio } from "./sms/twilio-signature.ts";
import type { GatewayRow } from "./tables.ts";
import { phoneTexts } from "./texts.ts";
import { receiveUssd, writeUssd } from "./ussd/receive.ts";

const mostBytes = 16 * 1024;
/** Steps of one phone a minute. A person takes some seconds for each. */
const stepsPerMinute = 120;

/** Answer to a call that failed here: gateways repeat it. */
const unavailable = { status: 503, message: "Try again later.", headers: { "Retry-After": "10" } } as const;

type Call = { gateway: GatewayRow; fields: URLSearchParams };

/**
 * Routes that gateways call. The secret is in the path, the calls come from the gateway's addresses, and Twilio's are signed. Bodies
 * are never logged: they hold numbers and PINs.
 */
export function gatewayRoutes(deps: PhoneDeps, goOn: (work: Promise<unknown>) => void): App {
  const app = new Hono<AppEnv>();
  app.onError((thrown, c) => {
    const error = thrown instanceof AppError ? thrown : undefined;
    const { status, message, headers = {} } = error ?? unavailable;
    if (status >= 500) logFailure(deps, c, error?.code ?? thrown.name);
    // A USSD gateway shows a text that ends the session. Other gateways only read the status.
    return c.text(c.req.path.endsWith("/ussd") ? `END ${message}` : message, status, headers);
  });
  app.post("/key/:token/ussd", async (c) => {
    const { gateway, fields } = await callOf(deps, c);
    const phoneNumber = numberGiven(fields.get("phoneNumber"));
    try {
      return c.text(await answerUssd(deps, c, { gateway, fields, phoneNumber }, goOn));
    } catch (error) {
      // Africa's Talking shows a sentence only of a call that was answered with 200.
      logFailure(deps, c, error instanceof AppError ? error.code : (error as Error).name);
      return c.text(await endOf(deps, gateway, phoneNumber, "later"));
    }
  });
  // Kannel calls by GET.
  app.on(["GET", "POST"], "/key/:token/sms", async (c) => {
    const { gateway, fields } = await callOf(deps, c);
    await receiveSms(deps, incomingSms(gateway, fields));
    return answer(c, gateway);
  });
  app.on(["GET", "POST"], "/key/:token/report", async (c) => {
    const { gateway, fields } = await callOf(deps, c);
    await receiveReport(deps, gateway, fields);
    return answer(c, gateway);
  });
  return app as unknown as App;
}

/** `reason`: without the error's message, which may name a household. */
function logFailure({ host }: PhoneDeps, c: Context<AppEnv>, reason: string): void {
  host.log.error({ reason, requestId: c.get("requestId") }, "a call of a gateway failed");
}

async function answerUssd(
  deps: PhoneDeps,
  c: Context<AppEnv>,
  { gateway, fields, phoneNumber }: Call & { phoneNumber: string },
  goOn: (work: Promise<unknown>) => void,
): Promise<string> {
  const sessionId = fields.get("sessionId") ?? "";
  const text = fields.get("text") ?? "";
  if (sessionId === "" || sessionId.length > 200 || text.length > 200) {
    deps.host.log.warn({ gatewayId: gateway.id }, "a USSD call has no sessionId, or a text that is too long");
    return await endOf(deps, gateway, phoneNumber, "incompleteCall");
  }
  const { rateLimiter } = c.get("platform");
  const allowance = await rateLimiter.consume(`ussd:${deps.box.hash(phoneNumber)}`, stepsPerMinute);
  if (!allowance.allowed) return await endOf(deps, gateway, phoneNumber, "tooManyCalls");
  const call = { sessionId, phoneNumber, text };
  return await receiveUssd({ ...deps, rateLimiter }, gateway, call, goOn);
}

/** A sentence that ends the session: in the household's language, or in the gateway's for a phone that is not registered. */
async function endOf(
  { store, box }: PhoneDeps,
  gateway: GatewayRow,
  phoneNumber: string,
  name: "later" | "incompleteCall" | "tooManyCalls",
): Promise<string> {
  // Where the database does not answer, which was logged, the person gets the sentence in the gateway's language.
  const phone = await store.phone(box.hash(phoneNumber)).catch(() => undefined);
  return writeUssd({ text: phoneTexts[phone?.language ?? gateway.language][name], ends: true });
}

/** An empty answer, so that no gateway sends it to the household. */
function answer(c: Context<AppEnv>, { kind }: GatewayRow): Response {
  return kind === "twilio" ? c.body("<Response/>", 200, { "Content-Type": "text/xml" }) : c.body("", 200);
}

/** @throws AppError FORBIDDEN for a wrong secret, another address or a wrong signature */
async function callOf(deps: PhoneDeps, c: Context<AppEnv>): Promise<Call> {
  const gateway = await gatewayOf(deps, c.req.param("token") ?? "");
  if (gateway === undefined || !isFromSource(c, gateway)) throw await forbidden(c);
  const body = c.req.method === "GET" ? undefined : new TextDecoder().decode(await readBody(c, mostBytes));
  const fields = new URLSearchParams(body ?? new URL(c.req.url).search);
  const settings = smsSettingsOf(deps, gateway);
  if (settings?.kind === "twilio") {
    const { pathname, search } = new URL(c.req.url);
    const signature = c.req.header("x-twilio-signature") ?? "";
    const signed = { url: deps.host.publicUrl + pathname + search, fields: body === undefined ? undefined : fields };
    if (!(await isSignedByTwilio(settings.authToken, signature, signed))) throw await forbidden(c);
  }
  return { gateway, fields };
}

function isFromSource(c: Context<AppEnv>, { sources }: GatewayRow): boolean {
  return sources.length === 0 || isInRanges(clientAddress(c), parseRanges(sources));
}

async function forbidden(c: Context<AppEnv>): Promise<AppError> {
  await limitFailures(c);
  return new AppError("FORBIDDEN", "This address belongs to no gateway.");
}
