import { randomUUID } from "node:crypto";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import type { Bus, ClientAnswer } from "./bus.ts";
import { checkArguments } from "./check-arguments.ts";
import type { JsonObject } from "./turn.ts";

/** Largest result, in characters of JSON. */
const largestResult = 256 * 1024;

export type ClientCall = {
  sessionId: string;
  user: string;
  /** Must be unguessable; generated when absent. */
  callId?: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Sends the call to the client. */
  send: (callId: string) => void;
};

type Open = Pick<ClientCall, "sessionId" | "user"> & { settle: (answer: ClientAnswer) => void };

/** The room of a session's sockets that can ask their user to confirm. */
export const confirmationRoom = (sessionId: string) => `confirms ${sessionId}`;

/** Calls that wait for a client's answer. Each is answered once, by the session's owner. */
export class ClientCalls {
  readonly #open = new Map<string, Open>();
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
    bus.on("result", ({ user, sessionId, callId, answer }) => {
      this.#settle(user, sessionId, callId, answer);
    });
  }

  /**
   * Send a call to the client and wait for its answer.
   * @throws AppError UNAVAILABLE when it is not answered in time, UPSTREAM with the client's error
   */
  async call({ sessionId, user, callId = randomUUID(), timeoutMs, signal, send }: ClientCall): Promise<unknown> {
    if (signal.aborted) throw new AppError("UNAVAILABLE", "The turn has ended.");
    if (this.#open.has(callId)) throw new AppError("CONFLICT", "This call is open already.");
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const either = AbortSignal.any([signal, timeout.signal]);
    try {
      const answer = await new Promise<ClientAnswer>((settle, reject) => {
        const message = () =>
          signal.aborted ? "The turn has ended." : `The client did not answer within ${timeoutMs} ms.`;
        either.addEventListener("abort", () => reject(new AppError("UNAVAILABLE", message())), { once: true });
        this.#open.set(callId, { sessionId, user, settle });
        send(callId);
      });
      if (answer.error !== undefined)
        throw new AppError("UPSTREAM", `The client answered with an error: ${answer.error}`);
      return answer.result ?? null;
    } finally {
      clearTimeout(timer);
      this.#open.delete(callId);
    }
  }

  /** Take a client's answer. When no call here waits for it, it is passed to the other processes. */
  answer(user: string, sessionId: string, message: unknown): void {
    const read = readAnswer(message);
    if (read === undefined) return;
    const { callId, answer } = read;
    if (!this.#settle(user, sessionId, callId, answer))
      this.#bus.publish("result", { user, sessionId, callId, answer });
  }

  #settle(user: string, sessionId: string, callId: string, answer: ClientAnswer): boolean {
    const open = this.#open.get(callId);
    if (open === undefined) return false;
    if (open.user !== user || open.sessionId !== sessionId) return true;
    this.#open.delete(callId);
    open.settle(answer);
    return true;
  }
}

function readAnswer(message: unknown): { callId: string; answer: ClientAnswer } | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { toolCallId: callId, result, error } = message as JsonObject;
  if (typeof callId !== "string" || callId.length > 128) return undefined;
  if (typeof error === "string" && error !== "") return { callId, answer: { error: error.slice(0, 2_000) } };
  const size = JSON.stringify(result ?? null).length;
  if (size > largestResult)
    return { callId, answer: { error: `The result is larger than ${largestResult} characters.` } };
  return { callId, answer: { result } };
}

/** @throws AppError INVALID_INPUT naming every argument that the client's own schema does not allow */
export function requireArguments(schema: JsonObject, args: JsonObject): void {
  const details: RuleDetail[] = checkArguments(schema, args);
  if (details.length === 0) return;
  throw new AppError("INVALID_INPUT", "The arguments break the schema that the client declared.", { details });
}
