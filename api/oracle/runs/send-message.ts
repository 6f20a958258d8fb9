import { AppError, type RuleDetail } from "../../platform/errors.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { Delegations } from "../auth/delegations.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { requireSchema } from "../wire/check-arguments.ts";
import type { Agent, ClientTool, History, TurnContext } from "../wire/turn.ts";
import type { RequirePayment } from "./admission.ts";
import { type ClientRequestDeps, callClientTool, confirmWithUser } from "./client-requests.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunOutcome } from "./run-store.ts";
import type { Runs, TurnParts } from "./runs.ts";
import type { EarlierMessage } from "./start-run.ts";

/** A turn that has started. */
export type StartedTurn = { run: LiveRun; ended: Promise<RunOutcome> };

/** Input of one agent turn, from any transport: HTTP, AG-UI, a scheduled task or a live call. */
export type Message = Pick<TurnContext, "message" | "attachments"> &
  Partial<Pick<TurnContext, "model" | "timezone" | "metadata" | "mcpInvocations" | "frontendResults">> & {
    clientTools: ClientTool[];
    requestId: string;
    /** The id that the client gave the message: a second message with it is the same message. */
    retryId?: string | undefined;
  };

/** Starts a turn with a message of the caller. */
export type SendMessage = (caller: Caller, sessionId: string, message: Message) => Promise<StartedTurn>;

export type SendMessageDeps = ClientRequestDeps & {
  agent: Agent;
  runs: Pick<Runs, "start">;
  sessions: Pick<SessionStore, "saveState">;
  delegations: Pick<Delegations, "verified">;
  requirePayment: RequirePayment;
};

/**
 * Start a turn with the caller's message. Everything that can be refused is refused before this resolves.
 * @throws AppError NOT_FOUND, PAYMENT_REQUIRED, INVALID_INPUT, CONFLICT
 */
export async function sendMessage(
  deps: SendMessageDeps,
  caller: Caller,
  sessionId: string,
  message: Message,
): Promise<StartedTurn> {
  requireUsableTools(message.clientTools);
  const { requestId, attachments, clientTools, retryId = null } = message;
  const admission = await deps.requirePayment({ userDid: caller.did, sessionId, requestId, retryId });
  return await deps.runs.start({
    user: caller.did,
    sessionId,
    requestId,
    message: message.message,
    attachments,
    clientTools,
    admission,
    retryId,
    turn: async (parts) => await deps.agent.runTurn(await turnContext(deps, caller, message, parts)),
  });
}

/** @throws AppError INVALID_INPUT for a name that is declared twice, or a schema that cannot be used */
function requireUsableTools(tools: ClientTool[]): void {
  const names = new Set<string>();
  const details: RuleDetail[] = [];
  for (const { name, kind } of tools) {
    const path = kind === "action" ? "agActions" : "tools";
    if (names.has(name)) details.push({ path, rule: "unique", message: `The name ${name} is given more than once.` });
    names.add(name);
  }
  if (details.length > 0)
    throw new AppError("INVALID_INPUT", "Tools and actions must have different names.", { details });
  for (const { name, schema } of tools) requireSchema(schema, name);
}

async function turnContext(
  deps: SendMessageDeps,
  caller: Caller,
  message: Message,
  { run, started, ...parts }: TurnParts,
): Promise<TurnContext> {
  const { session, earlier } = started;
  const client = { run, tools: message.clientTools, signal: parts.signal };
  const { clientTools, frontendResults = [], retryId: _, ...input } = message;
  const stored = started.delegation === null ? null : deps.delegations.verified(caller.did, started.delegation.raw);
  return {
    ...parts,
    ...input,
    user: caller.did,
    matrix: caller.matrix,
    delegation: caller.delegation ?? (await stored),
    session,
    history: historyOf(earlier),
    clientTools,
    frontendResults,
    callClient: callClientTool(deps, client),
    confirm: confirmWithUser(deps, client),
    saveState: (change) => deps.sessions.saveState(session.id, change),
  };
}

/** Earlier turns as the model saw them. A turn that did not finish has no such history: the plain text of both sides stands for it. */
function historyOf(earlier: EarlierMessage[]): History {
  const withHistory = new Set(earlier.filter(({ history }) => history !== null).map(({ runId }) => runId));
  return earlier.flatMap(({ runId, type, content, history }): History => {
    if (history !== null) return history;
    if (withHistory.has(runId) || content === "") return [];
    return [{ role: type === "human" ? "user" : "assistant", content }];
  });
}
