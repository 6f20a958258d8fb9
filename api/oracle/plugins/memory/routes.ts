import { type Context, Hono } from "hono";
import { z } from "zod";
import { AppError } from "../../../errors.ts";
import type { AppEnv } from "../../../http/context.ts";
import type { Services } from "../../services.ts";
import { roomOf } from "../../sessions/sessions.ts";
import { correctFact, findFacts, forgetFact, maxFactLength, maxFacts, readFacts, rememberFact } from "./facts.ts";

const factBody = z.strictObject({ text: z.string().trim().min(1).max(maxFactLength) });
const query = z.strictObject({
  question: z.string().max(500).default(""),
  limit: z.coerce.number().int().min(1).max(maxFacts).default(100),
});

/** The user's own memory, without the agent between. */
export function memoryRoutes(services: Services): Hono<AppEnv> {
  const roomIn = (c: Context<AppEnv>) => roomOf(c.get("caller").did, services.deps.files.identity.did);
  return new Hono<AppEnv>()
    .get("/memory", async (c) => {
      const { question, limit } = read(query, c.req.query(), "query");
      return c.json({ memories: findFacts(await readFacts(services, roomIn(c)), question, limit) });
    })
    .post("/memory", async (c) => {
      return c.json(await rememberFact(services, roomIn(c), (await bodyOf(c)).text), 201);
    })
    .put("/memory/:id", async (c) => {
      return c.json(await correctFact(services, roomIn(c), c.req.param("id"), (await bodyOf(c)).text));
    })
    .delete("/memory/:id", async (c) => {
      await forgetFact(services, roomIn(c), c.req.param("id"));
      return c.json({ message: "The fact is forgotten." });
    });
}

async function bodyOf(c: Context<AppEnv>) {
  const body = await c.req.json().catch((cause: unknown) => {
    throw new AppError("INVALID_INPUT", "The body is no JSON.", { cause });
  });
  return read(factBody, body, "body");
}

/** @throws AppError INVALID_INPUT naming every rule that is broken */
function read<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map(({ path, code: rule, message }) => {
    return { path: [where, ...path].join("."), rule, message };
  });
  throw new AppError("INVALID_INPUT", "The request breaks the rules of this route.", { details });
}
