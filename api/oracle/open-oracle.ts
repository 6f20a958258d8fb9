import { randomUUID } from "node:crypto";
import { ReadAccess } from "./access/read-access.ts";
import { capabilityTools } from "./agent/capabilities.ts";
import { ModelLatency } from "./agent/model-latency.ts";
import { openAgent } from "./agent/open-agent.ts";
import { type Conversations, openConversations } from "./conversations.ts";
import type { OracleDeps } from "./deps.ts";
import { openPayments, type Payments } from "./payments/payments.ts";
import type { PaymentRouteDeps } from "./payments/serialize.ts";
import { bundledPlugins } from "./plugins/bundled.ts";
import { loadPlugins, routesOf } from "./plugins/host/load-plugins.ts";
import { openServices } from "./plugins/host/open-services.ts";
import type { PluginRoutes } from "./plugins/host/plugin.ts";
import { readFeatures } from "./plugins/host/select-plugins.ts";
import { type StartTaskTurn, TaskRunner } from "./tasks/task-runner.ts";

/** The oracle: conversations with its agent, the agent's plugins, and what users pay for it. */
export type Oracle = Conversations &
  Pick<PaymentRouteDeps, "chain" | "publicRpcUrl"> & {
    payments: Payments;
    readAccess: ReadAccess;
    pluginRoutes: readonly PluginRoutes[];
    /** Start due tasks from now on. Their turns call the API, so its routes must be mounted. */
    start: () => void;
  };

/** Open the oracle. @throws BootError when a plugin cannot be configured or loaded */
export async function openOracle(deps: OracleDeps): Promise<Oracle> {
  const { config, chain, log, identity, workers } = deps;
  const payments = await openPayments({ ...deps, did: identity.did });
  const closers = [payments.close];
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  try {
    const readAccess = new ReadAccess(deps);
    const services = openServices({ ...deps, readAccess });
    const { environment, name, llm } = config.oracle;
    const plugins = await loadPlugins({
      plugins: bundledPlugins,
      features: readFeatures(environment.ORACLE_FEATURES),
      env: environment,
      services,
      ownTools: capabilityTools,
      say: deps.say ?? ((line) => log.info(line)),
      log,
    });
    const consoleUrl = `${config.publicUrl}/console`;
    const latency = new ModelLatency(deps.metrics);
    const agent = openAgent({ plugins, oracleName: name, endpoint: llm, consoleUrl, log, latency });
    const speech = plugins.find((plugin) => plugin.speech !== undefined)?.speech;
    const { requirePayment } = payments;
    const conversations = await openConversations({ ...deps, agent, speech, requirePayment });
    closers.push(conversations.close);
    const { tasks } = services;
    const runner = new TaskRunner({ tasks, startTurn: startTaskTurn(conversations), workers });
    closers.push(() => runner.close());
    return {
      ...conversations,
      payments,
      readAccess,
      chain,
      publicRpcUrl: config.chain.embedded ? config.chain.rpcUrl : null,
      pluginRoutes: routesOf(plugins),
      start: () => runner.start(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Start a task's turn as if its user had sent the message. The user's stored delegation applies. */
export function startTaskTurn({ sendMessage }: Pick<Conversations, "sendMessage">): StartTaskTurn {
  return async ({ user, sessionId, message, timezone }) => {
    const input = { message, timezone, attachments: [], clientTools: [], requestId: randomUUID() };
    const { run } = await sendMessage({ did: user, delegation: null }, sessionId, input);
    return { runId: run.facts.id };
  };
}
