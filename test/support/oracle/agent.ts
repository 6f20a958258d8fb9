import { capabilityTools } from "../../../api/oracle/agent/capabilities.ts";
import { type LoadedPlugin, loadPlugins } from "../../../api/oracle/plugins/host/load-plugins.ts";
import { defineOraclePlugin, type Environment, type OraclePlugin } from "../../../api/oracle/plugins/host/plugin.ts";
import type { OracleTool } from "../../../api/oracle/plugins/host/tool.ts";
import type { TurnContext, TurnEvent } from "../../../api/oracle/wire/turn.ts";
import { createLog } from "../../../api/platform/log.ts";

export const quietLog = createLog({ logLevel: "silent" });

/** A plugin of some tools; the rest of its definition says nothing. */
export function pluginOf<Services = unknown>(
  name: string,
  tools: OracleTool[],
  rest: Partial<Parameters<typeof defineOraclePlugin<Services>>[0]> = {},
): OraclePlugin<Services> {
  return defineOraclePlugin<Services>({
    name,
    version: "1.0.0",
    getTools: () => tools,
    manifest: { title: name, summary: `Does ${name}.`, whenToUse: [`for ${name}`], category: "core" },
    ...rest,
  });
}

export function bootOf<Services>(
  plugins: OraclePlugin<Services>[],
  {
    env = {},
    services = {} as Services,
    say = () => {},
  }: { env?: Environment; services?: Services; say?: (line: string) => void } = {},
): Promise<LoadedPlugin[]> {
  return loadPlugins({ plugins, features: {}, env, services, ownTools: capabilityTools, say, log: quietLog });
}

export type TestTurn = TurnContext & { events: TurnEvent[]; said: () => string; questions: unknown[] };

/** A turn as the wire makes it, without a wire: what it emits is kept. `changes` says what is different from an empty one. */
export function turnOf(message: string, changes: Partial<TurnContext> = {}): TestTurn {
  const events: TurnEvent[] = [];
  const questions: unknown[] = [];
  const session = { id: "$s:test", roomId: "room-1", loadedPlugins: [], state: {} };
  const turn: TestTurn = {
    runId: "run-1",
    requestId: "req-1",
    user: "did:key:zUser",
    delegation: null,
    session,
    message,
    attachments: [],
    history: [],
    clientTools: [],
    frontendResults: [],
    signal: new AbortController().signal,
    emit: (event) => void events.push(event),
    callClient: () => Promise.reject(new Error("There is no client")),
    confirm: async (question) => {
      questions.push(question);
      return false;
    },
    saveState: async ({ loadedPlugins }) => {
      if (loadedPlugins !== undefined) turn.session.loadedPlugins = loadedPlugins;
    },
    ...changes,
    events,
    questions,
    said: () => events.flatMap((event) => (event.type === "text" ? [event.delta] : [])).join(""),
  };
  return turn;
}
