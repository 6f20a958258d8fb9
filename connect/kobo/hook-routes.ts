import { timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import { AppError } from "../../api/platform/errors.ts";
import { type App, type AppEnv, limitFailures, readBody } from "../../api/platform/http/index.ts";
import type { KoboDeps } from "./deps.ts";

const mostBytes = 1024 * 1024;
const uuidForm = /^(?:uuid:)?([\x21-\x7e]{1,190})$/;

/**
 * Create the route that Kobo's REST Service calls. A call is only a bell: it is stored before the answer, and the record is read from
 * Kobo afterwards. Kobo repeats a call after 502, 503 and 504 alone, so a failure here is never 429 or 500.
 */
export function hookRoutes(deps: KoboDeps): App {
  const app = new Hono<AppEnv>();
  app.onError((thrown, c) => {
    if (thrown instanceof AppError && thrown.status < 500) {
      // Wrong passwords are counted, but Kobo is never answered 429.
      return c.json({ message: thrown.message }, thrown.status === 429 ? 403 : thrown.status);
    }
    deps.host.log.error({ err: thrown, requestId: c.get("requestId") }, "a bell of Kobo was not stored");
    return c.json({ message: "Hearth cannot store this now. Send it again later." }, 503, { "Retry-After": "60" });
  });
  app.post("/hooks/:id", async (c) => {
    const connectionId = c.req.param("id");
    await requireKobo(deps, c, connectionId);
    const rootUuid = uuidOf(await readBody(c, mostBytes));
    await deps.store.ring({ connectionId, rootUuid }, deps.host.clock.now());
    deps.wake();
    return c.json({ message: "Stored." }, 202);
  });
  return app as unknown as App;
}

/** Check the name and password of the hook. An unknown connection and one that was ended answer like a wrong password. */
async function requireKobo(deps: KoboDeps, c: Context<AppEnv>, id: string): Promise<void> {
  const connection = await deps.store.find(id);
  if (connection !== undefined && connection.revokedAt === null) {
    const expected = Buffer.from(`${id}:${deps.host.secretBox.open(connection.sealedSecret)}`);
    const given = Buffer.from(c.req.header("authorization")?.replace(/^Basic /i, "") ?? "", "base64");
    if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  }
  await limitFailures(c);
  throw new AppError("FORBIDDEN", "This address belongs to no connection, or the password is wrong.");
}

/** The record that the bell is about: `meta/rootUuid`, which edits keep, or the version's `_uuid` from servers without it. */
function uuidOf(body: Uint8Array): string {
  const data = parse(body);
  for (const name of ["meta/rootUuid", "_uuid"]) {
    const value = data[name];
    const uuid = typeof value === "string" ? uuidForm.exec(value)?.[1] : undefined;
    if (uuid !== undefined) return uuid;
  }
  throw new AppError("INVALID_INPUT", "The call names no record: meta/rootUuid and _uuid are missing.");
}

function parse(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Answered below, like JSON of another shape.
  }
  throw new AppError("INVALID_INPUT", "The call's body is not a JSON object.");
}
