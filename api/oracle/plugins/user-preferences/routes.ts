import { createRoute, z } from "@hono/zod-openapi";
import { errorResponses, jsonContent } from "../../../platform/http/index.ts";
import { oracleRouter } from "../../http/router.ts";
import { roomOf } from "../../sessions/sessions.ts";
import type { Services } from "../host/services.ts";
import { preferenceChange, readPreferences } from "./preferences.ts";

const preferences = preferenceChange.extend({ updatedAt: z.iso.datetime() });

const read = createRoute({
  method: "get",
  path: "/user-preferences",
  tags: ["Oracle"],
  security: [{ ucan: [] }],
  summary: "Read how the caller wants the oracle to behave; null if nothing is set",
  responses: {
    200: { description: "The current preferences", content: jsonContent(preferences.nullable()) },
    ...errorResponses(),
  },
});

export function preferenceRoutes(services: Services) {
  return oracleRouter().openapi(read, async (c) => {
    const room = roomOf(c.get("caller").did, services.did);
    return c.json(await readPreferences(services, room), 200);
  });
}
