import type { BrowserContext } from "playwright-core";
import { createAgent } from "../../api/oracle/agent/agent.ts";
import { capabilityTools } from "../../api/oracle/agent/capabilities.ts";
import { bundledPlugins } from "../../api/oracle/plugins/bundled.ts";
import { loadPlugins, routesOf } from "../../api/oracle/plugins/host/load-plugins.ts";
import { makeUserKey, type UserKey } from "../../sdk/examples/chat/src/user-key.ts";
import type { Fixture } from "../../sdk/test/app/fixture.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { quietLog } from "../support/oracle/agent.ts";
import { openTestOracle, type TestOracle, type TestOracleOptions } from "../support/oracle/oracle.ts";
import { openTestServices } from "../support/oracle/plugins.ts";
import { type BrowserShare, shareBrowser } from "../support/shared-browser.ts";
import { type ChatPage, openChatPage } from "./chat-page.ts";
import { type Link, openLink } from "./link.ts";
import { type PageServer, servePage } from "./page-server.ts";

/** A user in a conversation, with open tabs. */
export type Visitor = {
  key: UserKey;
  sessionId: string;
  /** Open a tab of this conversation; the user's tabs share storage. */
  openTab: (fixture?: Partial<Fixture>) => Promise<ChatPage>;
  /** Expose a function to the user's pages. */
  expose: BrowserContext["exposeFunction"];
  /** Send a request as this user. */
  ask: (method: string, path: string, body?: unknown) => Promise<Response>;
};

export type SdkWorld = {
  oracle: TestOracle;
  /** The scripted language model; set `model.script` before a message is sent. */
  model: ModelServer;
  /** The connection between the pages and the oracle. */
  link: Link;
  visit: () => Promise<Visitor>;
  /** Make a visitor of another oracle. */
  visitAt: (oracle: { did: string; url: string }) => Promise<Visitor>;
  close: () => Promise<void>;
};

/** The oracle with all its plugins and a scripted language model, a page that uses the SDK, and Chromium. */
export async function openSdkWorld(
  env: Record<string, string> = {},
  options: TestOracleOptions = {},
): Promise<SdkWorld> {
  const opened: { close: () => Promise<unknown> }[] = [];
  const keep = <T extends { close: () => Promise<unknown> }>(thing: T): T => {
    opened.unshift(thing);
    return thing;
  };
  const close = async () => {
    for (const thing of opened) await thing.close();
  };
  try {
    const model = keep(await startModelServer(() => [{ text: "Nothing is scripted." }]));
    const oracle = keep(await openOracle(model.url, keep, env, options));
    const link = keep(await openLink(oracle.url));
    const pages = keep(await servePage("../../sdk/test/app/main.tsx"));
    const browser = keep(await shareBrowser());
    const through = { did: oracle.did, url: oracle.url, pageUrl: link.url };
    const visitAt: SdkWorld["visitAt"] = (at) => visit({ ...at, pageUrl: at.url }, pages, browser);
    return { oracle, model, link, visit: () => visit(through, pages, browser), visitAt, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openOracle(
  modelUrl: string,
  keep: <T extends { close: () => Promise<unknown> }>(thing: T) => T,
  env: Record<string, string>,
  options: TestOracleOptions,
): Promise<TestOracle> {
  // The same identity as the oracle's, since a room belongs to a user and an oracle.
  const { services } = keep(await openTestServices({ PUBLIC_URL: "http://localhost:3000" }));
  const plugins = await loadPlugins({
    plugins: bundledPlugins,
    features: {},
    env: {},
    services,
    log: quietLog,
    ownTools: capabilityTools,
    say: () => {},
  });
  const endpoint = { baseUrl: modelUrl, apiKey: undefined, models: ["scripted"] };
  const agent = createAgent({ plugins, oracleName: "Hearth", endpoint, log: quietLog });
  const pluginRoutes = routesOf(plugins);
  return await openTestOracle(agent, env, { pluginRoutes, ...options });
}

/** `pageUrl`: the oracle's URL for pages. */
type Place = { did: string; url: string; pageUrl: string };

async function visit(oracle: Place, pages: PageServer, browser: BrowserShare): Promise<Visitor> {
  const key = await makeUserKey();
  const { serialized } = await key.createInvocation(oracle.did);
  const headers = { authorization: `Bearer ${serialized}`, "x-auth-type": "ucan", "content-type": "application/json" };
  const ask: Visitor["ask"] = (method, path, body) =>
    fetch(`${oracle.url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { sessionId } = (await (await ask("POST", "/sessions", {})).json()) as { sessionId: string };
  const context = await browser.newContext();
  const openTab: Visitor["openTab"] = (more) =>
    openChatPage(context, pages.url, {
      url: oracle.pageUrl,
      oracleDid: oracle.did,
      secret: key.secret,
      sessionId,
      ...more,
    });
  return { key, sessionId, openTab, ask, expose: context.exposeFunction.bind(context) };
}
