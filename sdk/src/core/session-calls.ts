import pRetry from "p-retry";
import { claimCall, isClaimed, isTaken } from "./claim-call.ts";
import { type AgAction, type IBrowserTools, runCall } from "./client-tools.ts";
import { logInDevelopment } from "./development.ts";
import type { BrowserToolCallEventPayload } from "./events.ts";
import type { RealtimeChannel } from "./realtime.ts";
import type { ZodSchema } from "./tool-schemas.ts";
import type { ShownCall } from "./turn.ts";
import type { ConfirmationRequest } from "./types.ts";

export type SessionCallsParts = {
  sessionId: string;
  channel: Pick<RealtimeChannel, "on" | "onStatus" | "isConnected" | "request">;
  tools: () => IBrowserTools | undefined;
  action: (name: string) => { action: AgAction; handler: (args: unknown) => unknown } | undefined;
  /** Whether this page sent the message that the call belongs to. */
  isOwn: (requestId: string) => boolean;
  confirm: () => ((request: ConfirmationRequest) => Promise<boolean> | boolean) | undefined;
};

/** How long a page that did not send the message waits for the page that did, in milliseconds: it may be on another device. */
const othersFirstMs = 250;
/** The same for a page in this browser that is open, and slow. */
const openPageMs = 5_000;
/** The same, for a tool or action that this page does not have. */
const unknownMs = 2_000;
/** How long to wait for the socket before an open call is taken from the stream, in milliseconds. */
const socketLagMs = 750;

type Call = BrowserToolCallEventPayload;
type Callee = { name: string; schema: ZodSchema; run: (args: unknown) => unknown; timeoutMs?: number | undefined };

/** Answer the agent's calls of browser tools and actions, and its confirmation requests; each call runs once across all tabs. */
export class SessionCalls {
  readonly #parts: SessionCallsParts;
  readonly #stops: (() => void)[];
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Settles when this connection has subscribed to confirmation requests. */
  #subscribed: Promise<void> | undefined;

  constructor(parts: SessionCallsParts) {
    this.#parts = parts;
    const { channel } = parts;
    this.#stops = [
      channel.on(
        "browser_tool_call",
        (call: Call) => void this.#answer("tool_result", call, this.#tool(call.toolName)),
      ),
      channel.on(
        "action_call",
        (call: Call) => void this.#answer("action_call_result", call, this.#action(call.toolName)),
      ),
      channel.on("event", ({ eventName, payload }) => {
        if (eventName === "confirmation_request") void this.#confirm(payload as Call & ConfirmationRequest);
      }),
      channel.onStatus((isConnected) => {
        this.#subscribed = undefined;
        if (isConnected) void this.offerToConfirm();
      }),
    ];
    if (channel.isConnected) void this.offerToConfirm();
  }

  /** Subscribe to confirmation requests, once per connection, if the app handles them. */
  offerToConfirm(): Promise<void> {
    if (this.#parts.confirm() === undefined || !this.#parts.channel.isConnected) return Promise.resolve();
    this.#subscribed ??= this.#parts.channel.request("subscribe", { events: ["confirmation_request"] }, 5_000).then(
      () => {},
      (error: unknown) => {
        this.#subscribed = undefined;
        logInDevelopment("Subscribing to confirmation requests failed.", error);
      },
    );
    return this.#subscribed;
  }

  close(): void {
    for (const stop of this.#stops) stop();
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  /**
   * Run an open call that the stream shows but the socket has not delivered in time. After a reload only read-only tools run, because
   * it is unknown whether the call has run already.
   */
  offer(call: ShownCall, requestId: string): void {
    const { id, name, args, status } = call;
    const timer = this.#timers.get(id);
    if (status !== "isRunning") {
      clearTimeout(timer);
      return;
    }
    const tool = this.#browserTool(name);
    if (tool === undefined || timer !== undefined || isClaimed(id)) return;
    if (!this.#parts.isOwn(requestId) && tool.effect !== "read") return;
    const { sessionId } = this.#parts;
    const take = () =>
      void this.#answer(
        "tool_result",
        { sessionId, requestId, toolCallId: id, toolName: name, args },
        this.#tool(name),
      );
    this.#timers.set(id, setTimeout(take, socketLagMs));
  }

  #browserTool(name: string) {
    const tools = this.#parts.tools() ?? {};
    return Object.values(tools).find(({ toolName }) => toolName === name);
  }

  #tool(name: string): Callee | undefined {
    const tool = this.#browserTool(name);
    return tool && { name, schema: tool.schema, run: (args) => tool.fn(args), timeoutMs: tool.timeoutMs };
  }

  #action(name: string): Callee | undefined {
    const found = this.#parts.action(name);
    return found && { name, schema: found.action.parameters, run: found.handler };
  }

  async #answer(event: "tool_result" | "action_call_result", call: Call, callee: Callee | undefined): Promise<void> {
    const { toolCallId, toolName, args, requestId } = call;
    if (!this.#parts.isOwn(requestId)) {
      await pause(callee === undefined ? unknownMs : othersFirstMs);
      if (await isTaken(toolCallId, requestId, openPageMs)) return;
    }
    if (!(await claimCall(toolCallId))) return;
    const answer = callee === undefined ? { error: `This page has no "${toolName}".` } : await runCall(callee, args);
    await this.#send(event, toolCallId, answer);
  }

  async #confirm({ toolCallId, toolName, summary, args }: ConfirmationRequest): Promise<void> {
    const confirm = this.#parts.confirm();
    // Another tab may ask the user. Without any answer the oracle refuses the call.
    if (confirm === undefined) return;
    try {
      const result = (await confirm({ toolCallId, toolName, summary, args })) === true;
      await this.#send("confirmation_result", toolCallId, { result });
    } catch (error) {
      logInDevelopment(`The confirmation request for "${toolName}" failed.`, error);
    }
  }

  /** Send a result, with retries: the oracle keeps only the first result of a call, so repeating it is safe. */
  async #send(event: string, toolCallId: string, answer: { result: unknown } | { error: string }): Promise<void> {
    const { channel, sessionId } = this.#parts;
    const ids = event === "action_call_result" ? { sessionId, toolCallId } : { toolCallId };
    const payload =
      "error" in answer ? { ...ids, result: null, error: answer.error } : { ...ids, result: answer.result };
    try {
      await pRetry(() => channel.request(event, payload, 5_000), { retries: 2, minTimeout: 200 });
    } catch (error) {
      logInDevelopment(`The result of call ${toolCallId} could not be sent.`, error);
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
