import { AppError, type RuleDetail } from "../../errors.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { Oracle } from "../oracle.ts";
import type { LiveRun } from "../runs/live-run.ts";
import type { RunOutcome } from "../runs/run-store.ts";
import { requireSession } from "../sessions/sessions.ts";
import { requireSchema } from "../sockets/check-arguments.ts";
import type { SessionRow } from "../tables.ts";
import type { ClientTool, History, TurnContext } from "../turn.ts";
import { callClientOver, confirmOver } from "./client-side.ts";
import type { SendMessage } from "./schemas.ts";

/** How many earlier turns the agent is given; it has a budget of its own. */
const turnsRemembered = 50;

export type Sent = { run: LiveRun; ended: Promise<RunOutcome>; session: SessionRow };

/** What a turn is made of, however it came. */
export type Message = Pick<SendMessage, "message" | "attachments"> &
  Partial<Pick<TurnContext, "model" | "timezone" | "metadata" | "mcpInvocations" | "frontendResults">> & {
    clientTools: ClientTool[];
    requestId: string;
  };

/**
 * Begin a turn with the caller's message.
 * @throws AppError NOT_FOUND, PAYMENT_REQUIRED, INVALID_INPUT: whatever is to be refused is refused here
 */
export async function sendMessage(oracle: Oracle, caller: Caller, sessionId: string, message: Message): Promise<Sent> {
  const session = await requireSession(oracle, sessionId, caller.did);
  refuseUnusableTools(message.clientTools);
  await oracle.requirePayment(caller.did, session.id);
  const { requestId, attachments, clientTools } = message;
  const begun = await oracle.runs.start({
    ...{ user: caller.did, sessionId, requestId, message: message.message, attachments, clientTools },
    turn: async (parts) => {
      const context = await turnContext(oracle, caller, session, message, parts);
      return await oracle.agent.runTurn(context);
    },
  });
  return { ...begun, session };
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

type Parts = Pick<TurnContext, "runId" | "signal" | "emit"> & { run: LiveRun };

async function turnContext(
  oracle: Oracle,
  caller: Caller,
  session: SessionRow,
  message: Message,
  { run, ...parts }: Parts,
): Promise<TurnContext> {
  const { id, roomId, loadedPlugins, state } = session;
  const client = { oracle, run, tools: message.clientTools, signal: parts.signal };
  const { clientTools, frontendResults = [], ...said } = message;
  return {
    ...parts,
    ...said,
    user: caller.did,
    delegation: caller.delegation ?? (await oracle.delegations.held(caller.did)),
    session: { id, roomId, loadedPlugins, state },
    history: await historyOf(oracle, session.id, parts.runId),
    clientTools,
    frontendResults,
    callClient: callClientOver(client),
    confirm: confirmOver(client),
    saveState: (change) => oracle.sessions.saveState(id, change),
  };
}

/** Earlier turns as the model saw them; of one that did not come to its end, the plain words of both sides. */
async function historyOf({ messages }: Oracle, sessionId: string, runId: string): Promise<History> {
  const rows = (await messages.lastTurns(sessionId, turnsRemembered)).filter((row) => row.runId !== runId);
  const told = new Set(rows.filter(({ history }) => history !== null).map((row) => row.runId));
  return rows.flatMap((row): History => {
    if (row.history !== null) return row.history;
    if (told.has(row.runId) || row.content === "") return [];
    return [{ role: row.type === "human" ? "user" : "assistant", content: row.content }];
  });
}
