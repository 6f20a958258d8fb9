import { AppError, type RuleDetail } from "../../platform/errors.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { Oracle } from "../conversations.ts";
import { requireSchema } from "../wire/check-arguments.ts";
import type { SendMessage } from "../wire/message-schemas.ts";
import type { ClientTool, History, TurnContext } from "../wire/turn.ts";
import { callClientOver, confirmOver } from "./client-requests.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunOutcome } from "./run-store.ts";
import type { Begun, EarlierMessage } from "./start-run.ts";

export type Sent = { run: LiveRun; ended: Promise<RunOutcome> };

/** What a turn is made of, however it came. */
export type Message = Pick<SendMessage, "message" | "attachments"> &
  Partial<Pick<TurnContext, "model" | "timezone" | "metadata" | "mcpInvocations" | "frontendResults">> & {
    clientTools: ClientTool[];
    requestId: string;
    /** The id that the user gave the message itself: sent again, it is the same message. */
    retryId?: string | undefined;
  };

/**
 * Begin a turn with the caller's message.
 * @throws AppError NOT_FOUND, PAYMENT_REQUIRED, INVALID_INPUT: whatever is to be refused is refused here
 */
export async function sendMessage(oracle: Oracle, caller: Caller, sessionId: string, message: Message): Promise<Sent> {
  refuseUnusableTools(message.clientTools);
  const { requestId, attachments, clientTools, retryId = null } = message;
  const admission = await oracle.requirePayment({ userDid: caller.did, sessionId, requestId, retryId });
  return await oracle.runs.start({
    ...{ user: caller.did, sessionId, requestId, message: message.message, attachments, clientTools },
    admission,
    retryId,
    turn: async (parts) => await oracle.agent.runTurn(await turnContext(oracle, caller, message, parts)),
  });
}

/** The tools and actions of a request's body. */
export function clientToolsOf({ tools, agActions }: Pick<SendMessage, "tools" | "agActions">): ClientTool[] {
  return [
    ...tools.map((tool): ClientTool => ({ ...tool, kind: "browser" })),
    ...agActions.map(({ hasRender = false, ...action }): ClientTool => ({ ...action, hasRender, kind: "action" })),
  ];
}

function refuseUnusableTools(tools: ClientTool[]): void {
  const names = new Set<string>();
  const details: RuleDetail[] = [];
  for (const { name, kind } of tools) {
    const path = kind === "action" ? "agActions" : "tools";
    if (names.has(name)) details.push({ path, rule: "unique", message: `The name ${name} is given more than once.` });
    names.add(name);
  }
  if (details.length > 0)
    throw new AppError("INVALID_INPUT", "Tools and actions have names of their own.", { details });
  for (const { name, schema } of tools) requireSchema(schema, name);
}

type Parts = Pick<TurnContext, "runId" | "signal" | "emit"> & { run: LiveRun; begun: Begun };

async function turnContext(
  oracle: Oracle,
  caller: Caller,
  message: Message,
  { run, begun, ...parts }: Parts,
): Promise<TurnContext> {
  const { session, earlier } = begun;
  const client = { oracle, run, tools: message.clientTools, signal: parts.signal };
  const { clientTools, frontendResults = [], retryId: _, ...said } = message;
  const kept = begun.delegation === null ? null : oracle.delegations.verified(caller.did, begun.delegation.raw);
  return {
    ...parts,
    ...said,
    user: caller.did,
    matrix: caller.matrix,
    delegation: caller.delegation ?? (await kept),
    session,
    history: historyOf(earlier),
    clientTools,
    frontendResults,
    callClient: callClientOver(client),
    confirm: confirmOver(client),
    saveState: (change) => oracle.sessions.saveState(session.id, change),
  };
}

/** Earlier turns as the model saw them; of one that did not come to its end, the plain words of both sides. */
function historyOf(earlier: EarlierMessage[]): History {
  const told = new Set(earlier.filter(({ history }) => history !== null).map(({ runId }) => runId));
  return earlier.flatMap(({ runId, type, content, history }): History => {
    if (history !== null) return history;
    if (told.has(runId) || content === "") return [];
    return [{ role: type === "human" ? "user" : "assistant", content }];
  });
}
