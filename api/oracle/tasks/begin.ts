import { randomUUID } from "node:crypto";
import type { Oracle } from "../conversations.ts";
import { sendMessage } from "../runs/send-message.ts";
import type { BeginTurn } from "./task-runner.ts";

/** Begins a task's turn as if its user had sent the message; what the user delegated is what the oracle has kept of it. */
export function beginTasks(oracle: Oracle): BeginTurn {
  return async ({ user, sessionId, message, timezone }) => {
    const words = { message, timezone, attachments: [], clientTools: [], requestId: randomUUID() };
    const { run } = await sendMessage(oracle, { did: user, delegation: null }, sessionId, words);
    return { runId: run.facts.id };
  };
}
