import { createAgent } from "./agent/agent.ts";
import { capabilityTools } from "./agent/capabilities.ts";
import type { OracleDeps } from "./conversations.ts";
import { bundledPlugins } from "./plugins/bundled.ts";
import { bootRuntime } from "./plugins/host/load-plugins.ts";
import { readFeatures } from "./plugins/host/select-plugins.ts";
import { openServices, type ServiceDeps } from "./plugins/host/services.ts";
import type { Tasks } from "./tasks/task-runner.ts";

/**
 * The agent behind the wire, with the plugins that the configuration allows; what is left out is said on `say`.
 * @throws BootError
 */
export async function openAgent(
  deps: ServiceDeps,
  say: (line: string) => void = (line) => deps.log.info(line),
): Promise<{ parts: Required<Pick<OracleDeps, "agent" | "pluginRoutes" | "attachApi" | "callAgents">>; tasks: Tasks }> {
  const { environment: env, name: oracleName, llm: endpoint } = deps.config.oracle;
  const services = openServices(deps);
  const runtime = await bootRuntime({
    ...{ plugins: bundledPlugins, env, say, log: deps.log },
    features: readFeatures(env.ORACLE_FEATURES),
    ...{ services, ownTools: capabilityTools },
  });
  const agent = createAgent({ runtime, oracleName, endpoint, log: deps.log });
  const pluginRoutes = runtime.plugins.flatMap(({ routes }) => (routes === undefined ? [] : [routes]));
  const attachApi: OracleDeps["attachApi"] = (fetch) => services.facade.attach(fetch);
  return { parts: { agent, pluginRoutes, attachApi, callAgents: services.calls }, tasks: services.tasks };
}
