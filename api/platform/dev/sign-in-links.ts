import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Clock } from "../clock.ts";
import type { PlatformConfig } from "../config.ts";
import { AppError } from "../errors.ts";
import { type AppEnv, createRouter, errorResponses, jsonContent, limitAddress, roles } from "../http/index.ts";
import type { Keys } from "../keys/index.ts";
import { loopbackHosts } from "../values/loopback.ts";

/** Path below /v1 that needs no key: it exists only for the person at this machine. */
export const signInLinkPath = "/v1/dev/sign-in-links";

const link = z.object({ role: z.enum(roles), url: z.string() });
export const signInLinks = z.object({ links: z.array(link) }).openapi("SignInLinks");
export type SignInLink = z.infer<typeof link>;

/** Where `npm run demo` keeps its invitation links for the sign-in page. */
export const signInLinkFile = (dataDir: string): string => join(dataDir, "run", "demo-links.json");

const list = createRoute({
  method: "get",
  path: "/dev/sign-in-links",
  tags: ["Development"],
  summary: "List the demo's invitation links that are still open (a system for one person on this machine only)",
  security: [],
  middleware: [limitAddress()],
  responses: { 200: { description: "The links", content: jsonContent(signInLinks) }, ...errorResponses(404) },
});

export type SignInLinkDeps = {
  clock: Clock;
  config: Pick<PlatformConfig, "dataDir" | "isOwnMachine">;
  keys: Keys;
};

/**
 * Route of the demo's links. It answers only where the whole system is on this machine and listens to it alone, and only to this
 * site's own pages: other sites' scripts, names that resolve to this machine, and proxies get 404.
 */
export function signInLinkRoutes({ clock, config, keys }: SignInLinkDeps): OpenAPIHono<AppEnv> {
  return createRouter({ idempotent: false }).openapi(list, async (c) => {
    if (!config.isOwnMachine || !isOwnPage(c.req.raw)) throw new AppError("NOT_FOUND", "There are no such links here.");
    const made = await readLinks(config.dataDir);
    const now = clock.now();
    const open = await Promise.all(made.map(({ url }) => keys.invitations.isOpenToken(tokenOf(url), now)));
    return c.json({ links: made.filter((_, index) => open[index]) }, 200, { "cache-control": "no-store" });
  });
}

function isOwnPage({ url, headers }: Request): boolean {
  const host = headers.get("host") ?? new URL(url).host;
  const origin = headers.get("origin");
  const isForwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host", "via"].some((name) => headers.has(name));
  const site = headers.get("sec-fetch-site");
  return (
    URL.canParse(`http://${host}`) &&
    loopbackHosts.has(new URL(`http://${host}`).hostname) &&
    (origin === null || origin === `http://${host}`) &&
    (site === null || site === "same-origin") &&
    !isForwarded
  );
}

async function readLinks(dataDir: string): Promise<SignInLink[]> {
  try {
    return signInLinks.parse(JSON.parse(await readFile(signInLinkFile(dataDir), "utf8"))).links;
  } catch (error) {
    // Without the demo there is no file.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

const tokenOf = (url: string) => url.slice(url.indexOf("#") + 1);
