import type { ModelMessage } from "ai";
import { z } from "zod";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { LoadedPlugin } from "../plugins/host/load-plugins.ts";
import type { SubAgent } from "../plugins/host/plugin.ts";
import { defineOracleTool, type OracleTool, type ToolContext } from "../plugins/host/tool.ts";
import type { Agent, History, TurnContext, TurnResult } from "../wire/turn.ts";
import { messagesOf } from "./history.ts";
import { type LoopInput, runLoop } from "./loop.ts";
import type { ModelLatency } from "./model-latency.ts";
import { type ModelEndpoint, modelCards } from "./models.ts";
import { openModel } from "./open-model.ts";
import { systemPrompt } from "./prompt.ts";
import type { Limits, Progress } from "./run-tool.ts";
import { guarded, loadState, openThread, type Thread } from "./thread.ts";

export const defaultLimits: Limits = { toolTimeoutMs: 30_000, outputLimit: 32_000, sameCalls: 3, steps: 16 };

export type AgentOptions = {
  plugins: readonly LoadedPlugin[];
  oracleName: string;
  endpoint: ModelEndpoint | undefined;
  /** URL of the console, for links in answers. */
  consoleUrl?: string;
  log: Log;
  limits?: Partial<Limits>;
  /** Measures the model of `endpoint`. */
  latency?: ModelLatency;
};

/** Create the agent behind a conversation: the plugins' tools and prompts, a model, and the loop that runs them. */
export function createAgent(options: AgentOptions): Agent {
  return {
    models: () => modelCards(options.endpoint),
    runTurn: (turn) => new Turn(options, turn).run(),
  };
}

class Turn {
  readonly #options: AgentOptions;
  readonly #turn: TurnContext;
  readonly #ctx: ToolContext;
  readonly #progress: Progress = { tainted: false, calls: new Map() };
  readonly #limits: Limits;

  constructor(options: AgentOptions, turn: TurnContext) {
    this.#options = options;
    this.#turn = turn;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#ctx = contextOf(turn, options.log);
    // Results of the client's tools are content from others too.
    this.#progress.tainted = turn.frontendResults.length > 0 || turn.attachments.length > 0;
  }

  async run(): Promise<TurnResult> {
    const { plugins } = this.#options;
    await loadState(plugins, this.#ctx);
    const thread = await openThread(plugins, this.#turn, this.#ctx, (agent) => this.#subAgentTool(agent));
    const instructions = await systemPrompt(plugins, this.#options, this.#ctx);
    const messages = messagesOf(this.#turn);
    const own = messages.slice(-1);
    let text = "";
    try {
      const result = await runLoop(this.#loop(thread, instructions, messages));
      text = result.text;
      return { messages: [...own, ...result.messages] as unknown as History, usage: result.usage };
    } catch (error) {
      if (this.#turn.signal.aborted) throw error;
      throw asAnswer(error, this.#ctx.log);
    } finally {
      await this.#afterTurn(thread.loaded(), text);
    }
  }

  #loop(thread: Thread, instructions: string, messages: ModelMessage[]): LoopInput {
    const { confirm, model } = this.#turn;
    const run = { tools: thread.tools, ctx: this.#ctx, confirm, limits: this.#limits, progress: this.#progress };
    const capabilities = () => {
      const loaded = new Set(thread.loaded());
      return this.#options.plugins
        .filter(({ manifest }) => manifest.visibility !== "silent")
        .map((plugin) => ({
          name: plugin.name,
          manifest: plugin.manifest,
          isLoaded: loaded.has(plugin),
          tools: [...thread.tools.byName.values()].filter((each) => each.plugin === plugin).map(({ tool }) => tool),
        }));
    };
    const { endpoint, consoleUrl } = this.#options;
    const open = openModel(endpoint, model, { capabilities, consoleUrl });
    return { open, instructions, messages, run, turn: this.#turn, latency: this.#latency };
  }

  /** Run another loop with the sub-agent's instructions and tools, and the same checks. */
  #subAgentTool(agent: SubAgent): OracleTool {
    return defineOracleTool({
      name: agent.name,
      description: agent.description,
      inputSchema: z.strictObject({ task: z.string().min(1) }),
      destructive: false,
      readOnly: agent.tools.every((tool) => tool.readOnly === true),
      timeoutMs: this.#limits.toolTimeoutMs * 4,
      run: async ({ ctx, input }) => {
        const byName = new Map(agent.tools.map((tool) => [tool.name, { tool, plugin: null }]));
        const usable = () => [...byName.keys()];
        const run = {
          tools: { byName, usable, isUsable: () => true },
          ctx,
          confirm: this.#turn.confirm,
          limits: this.#limits,
          progress: this.#progress,
        };
        const { endpoint } = this.#options;
        const open = openModel(endpoint, this.#turn.model, { capabilities: () => [], consoleUrl: undefined });
        // The sub-agent's text is the tool's result, not the oracle's answer.
        const quiet = { clientTools: [], signal: ctx.signal, emit: () => {} };
        const messages = [{ role: "user" as const, content: input.task }];
        const { instructions } = agent;
        return (await runLoop({ open, instructions, messages, run, turn: quiet, latency: this.#latency })).text;
      },
    });
  }

  /** The offline rules are not measured: they answer immediately. */
  get #latency(): ModelLatency | undefined {
    return this.#options.endpoint === undefined ? undefined : this.#options.latency;
  }

  async #afterTurn(plugins: LoadedPlugin[], text: string): Promise<void> {
    const { aborted } = this.#turn.signal;
    const hooks = plugins.flatMap((plugin) => plugin.middlewares.map(({ afterTurn }) => ({ plugin, afterTurn })));
    await Promise.all(
      hooks.map(({ plugin, afterTurn }) =>
        guarded(plugin, this.#ctx.log, () => afterTurn?.(this.#ctx, { text, aborted })),
      ),
    );
  }
}

function contextOf(turn: TurnContext, log: Log): ToolContext {
  const { user, delegation, session, requestId, timezone, metadata, mcpInvocations, signal } = turn;
  const { attachments, matrix, clientTools } = turn;
  return {
    user,
    delegation,
    requestId,
    timezone,
    metadata,
    mcpInvocations,
    attachments,
    matrix,
    clientTools,
    signal,
    sessionId: session.id,
    roomId: session.roomId,
    toolCallId: "",
    callClient: turn.callClient,
    render: (component) => void turn.emit({ type: "component", ...component, status: "done" }),
    state: { loadedPlugins: session.loadedPlugins },
    log: log.child({ requestId }),
  };
}

/** Convert a failure of the model's server to an error for the user. The server's message is only logged. */
function asAnswer(error: unknown, log: Log): AppError {
  if (error instanceof AppError) return error;
  // The library's errors contain the whole conversation, which is private to the user, so only their message is logged, without
  // personal data.
  const { statusCode } = error as Error & { statusCode?: number };
  log.error({ err: error, statusCode }, "the model failed");
  return new AppError("UPSTREAM", "The language model did not answer as it should. Please try again.", {
    cause: error,
  });
}
