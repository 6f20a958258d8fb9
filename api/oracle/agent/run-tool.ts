import { AppError } from "../../platform/errors.ts";
import { canonicalJson } from "../../platform/values/canonical-json.ts";
import { holdsAbility } from "../auth/delegated-abilities.ts";
import { JsonText } from "../plugins/host/json-text.ts";
import type { OracleTool, ToolContext } from "../plugins/host/tool.ts";
import type { Confirm } from "../wire/turn.ts";
import type { TurnTool, TurnTools } from "./thread.ts";

export type Limits = {
  /** Time limit of a tool, in milliseconds. */
  toolTimeoutMs: number;
  /** Most characters of a tool's result that the model receives. */
  outputLimit: number;
  /** How often the same call with the same arguments may be made in one turn. */
  sameCalls: number;
  /** Calls of the model in one turn. */
  steps: number;
};

/** State of a turn while its tools run. */
export type Progress = {
  /** Whether the model has received content that neither the user nor the runtime wrote. */
  tainted: boolean;
  calls: Map<string, number>;
};

export type ToolRun = { tools: TurnTools; ctx: ToolContext; confirm: Confirm; limits: Limits; progress: Progress };

/**
 * Run one call of the model, if the user allows it. @returns the tool's result as JSON text, cut to the limit @throws AppError
 * with the reason why it was not run, or failed
 */
export async function runTool(run: ToolRun, name: string, input: unknown, toolCallId: string): Promise<string> {
  const found = run.tools.byName.get(name);
  if (found === undefined) throw new AppError("NOT_FOUND", `There is no tool "${name}".`);
  requireUsable(run.tools, found);
  requireScope(found.tool, run.ctx);
  requireNew(run, name, input);
  await requireConsent(run, found.tool, input);
  const answer = await attempt(run, found.tool, input, toolCallId).finally(() => {
    if (found.tool.trustedOutput !== true) run.progress.tainted = true;
  });
  const text = answer instanceof JsonText ? answer.text : JSON.stringify(answer ?? null, withBigints);
  return cut(text, run.limits.outputLimit);
}

function requireUsable(tools: TurnTools, found: TurnTool): void {
  if (tools.isUsable(found)) return;
  const { tool, plugin } = found;
  throw new AppError(
    "FORBIDDEN",
    `The tool "${tool.name}" belongs to the capability "${plugin?.name}", which is not loaded. Call load_capability first.`,
  );
}

function requireScope({ name, scope }: OracleTool, { delegation }: ToolContext): void {
  if (scope === undefined || holdsAbility(delegation, scope)) return;
  throw new AppError("FORBIDDEN", `The user's delegation does not allow ${scope}, which the tool "${name}" needs.`);
}

function requireNew({ progress, limits }: ToolRun, name: string, input: unknown): void {
  const key = `${name} ${canonicalJson(input)}`;
  const times = (progress.calls.get(key) ?? 0) + 1;
  progress.calls.set(key, times);
  if (times <= limits.sameCalls) return;
  throw new AppError(
    "CONFLICT",
    `"${name}" has been called ${limits.sameCalls} times with these arguments; use its earlier answer.`,
  );
}

async function requireConsent(run: ToolRun, tool: OracleTool, input: unknown): Promise<void> {
  const { progress, confirm } = run;
  const { isDestructive: asks } = tool;
  const isDestructive =
    tool.destructive ||
    (asks !== undefined && (await within(run, tool, (ctx) => asks({ ctx, input: input as never }))) !== false);
  if (!isDestructive && (tool.readOnly === true || !progress.tainted)) return;
  const why = isDestructive ? "" : " It was asked for after content that you did not write had been read.";
  const summary = `The oracle wants to call "${tool.name}" with these arguments.${why}`;
  if (await confirm({ toolName: tool.name, summary, args: input })) return;
  throw new AppError("FORBIDDEN", `"${tool.name}" was not run: the user did not confirm it.`);
}

/** Retry a temporary failure once, if the call cannot take effect twice. */
async function attempt(run: ToolRun, tool: OracleTool, input: unknown, toolCallId: string): Promise<unknown> {
  try {
    return await once(run, tool, input, toolCallId);
  } catch (error) {
    const mayPass = error instanceof AppError && (error.code === "UPSTREAM" || error.code === "UNAVAILABLE");
    const mayRepeat = tool.readOnly === true && tool.onlyOnce !== true && !run.ctx.signal.aborted;
    if (!mayPass || !mayRepeat) throw error;
    return await once(run, tool, input, toolCallId);
  }
}

function once(run: ToolRun, tool: OracleTool, input: unknown, toolCallId: string): Promise<unknown> {
  return within(run, tool, (ctx) => tool.run({ ctx: { ...ctx, toolCallId }, input: input as never }));
}

/** Run a tool's work, and abort it at its time limit or when the turn ends. */
async function within(
  { ctx, limits }: ToolRun,
  tool: OracleTool,
  work: (ctx: ToolContext) => Promise<unknown>,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(tool.timeoutMs ?? limits.toolTimeoutMs);
  const signal = AbortSignal.any([ctx.signal, timeout]);
  const overdue = new AppError("UNAVAILABLE", `"${tool.name}" took too long and was aborted.`);
  const given = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(timeout.aborted ? overdue : ctx.signal.reason), { once: true });
  });
  try {
    return await Promise.race([work({ ...ctx, signal }), given]);
  } catch (error) {
    if (error instanceof AppError || ctx.signal.aborted) throw error;
    ctx.log.error({ err: error, tool: tool.name }, "a tool failed");
    throw new AppError("INTERNAL", `"${tool.name}" failed with an internal error.`);
  }
}

const withBigints = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… [cut: ${text.length - limit} of ${text.length} characters are not shown]`;
}
