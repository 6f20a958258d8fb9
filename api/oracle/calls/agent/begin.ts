import { randomUUID } from "node:crypto";
import type { Oracle } from "../../conversations.ts";
import { sendMessage } from "../../runs/send-message.ts";
import type { BeginSpokenTurn } from "./conversation.ts";

/** Begins turns with what users say in calls; what they delegated is what the oracle has kept of it. */
export function beginSpokenTurns(oracle: Oracle): BeginSpokenTurn {
  return async ({ user, sessionId, callId, message }) => {
    const words = { message, attachments: [], clientTools: [], requestId: randomUUID(), metadata: { callId } };
    const { run, ended } = await sendMessage(oracle, { did: user, delegation: null }, sessionId, words);
    return { text: () => run.text, ended };
  };
}
