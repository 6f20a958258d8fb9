import { ApiError, errorOf } from "./api-error.ts";
import type { OracleClient } from "./client.ts";
import { type AgAction, declareTools, type IBrowserTools } from "./client-tools.ts";
import type { RenderComponentEventPayload } from "./events.ts";
import { Flusher } from "./flush.ts";
import { followRun } from "./follow-run.ts";
import { abortTurn, currentRun, listMessages, postMessage, type SendOptions } from "./messages.ts";
import { type RealtimeChannel, whenConnected } from "./realtime.ts";
import { SessionCalls } from "./session-calls.ts";
import { Store } from "./store.ts";
import { joinThread, keepUnchanged } from "./thread.ts";
import { type IsShown, type Layout, Turn, withComponents } from "./turn.ts";
import type { ChatStatus, ConfirmationRequest, IMessage, JsonObject, StreamingMode } from "./types.ts";
import { onWake } from "./wake.ts";

export type ChatState = {
  messages: IMessage[];
  status: ChatStatus;
  isLoading: boolean;
  /** Why the history could not be read. */
  error: Error | undefined;
  sendMessageError: Error | undefined;
  isRealTimeConnected: boolean;
};

/** What the app says about its chat; may change while it runs. */
export type ChatOptions = {
  onPaymentRequiredError: (claimIds: string[]) => void;
  streamingMode?: StreamingMode | undefined;
  browserTools?: IBrowserTools | undefined;
  actions?: readonly AgAction[];
  runAction?: (name: string, args: unknown) => unknown;
  onConfirmationRequest?: ((request: ConfirmationRequest) => Promise<boolean> | boolean) | undefined;
  /** Which calls are drawn; none without it. */
  isShown?: IsShown;
  /** Headers that go with messages whose attachments lie on the messaging network. */
  matrixHeaders?: Record<string, string>;
};

export type ChatConnection = { client: OracleClient; channel: RealtimeChannel };

type Live = ChatConnection & { closed: AbortController; calls: SessionCalls; stops: (() => void)[] };

type Active = {
  turn: Turn;
  requestId: string | undefined;
  answerId: string;
  human?: IMessage;
  knownIds?: ReadonlySet<string>;
  /** Ends the following of the turn, not the turn. */
  left: AbortController;
  ended: Promise<void>;
  isAborted: boolean;
};

/** How long a message with tools waits for the socket that its calls come over, in milliseconds. */
const socketWaitMs = 1_500;

/** One session's thread: reads it, sends to it, follows its turns wherever they were begun. Knows nothing of React. */
export class Chat extends Store<ChatState> {
  readonly sessionId: string;
  options: ChatOptions;
  readonly #flusher = new Flusher(() => this.#show());
  readonly #layouts = new Map<string, Layout>();
  readonly #sent = new Set<string>();
  #live: Live | undefined;
  #history: IMessage[] = [];
  #shownHistory: IMessage[] | undefined;
  #unsent: (IMessage & { requestId: string }) | undefined;
  #active: Active | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(sessionId: string, options: ChatOptions) {
    super({
      ...{ messages: [], status: "ready", isLoading: true },
      ...{ error: undefined, sendMessageError: undefined, isRealTimeConnected: false },
    });
    this.sessionId = sessionId;
    this.options = options;
  }

  /** Begin to read and to listen. Returns the way out; may be called again after it. */
  connect({ client, channel }: ChatConnection): () => void {
    this.disconnect();
    const calls = new SessionCalls({
      ...{ sessionId: this.sessionId, channel },
      tools: () => this.options.browserTools,
      action: (name) => this.#actionOf(name),
      isOwn: (requestId) => this.#sent.has(requestId),
      confirm: () => this.options.onConfirmationRequest,
    });
    let wasConnected = false;
    const stops = [
      channel.onStatus((isRealTimeConnected) => {
        this.set({ isRealTimeConnected });
        // What was told meanwhile was missed.
        if (isRealTimeConnected && wasConnected) void this.#catchUp();
        wasConnected ||= isRealTimeConnected;
      }),
      channel.on("run", ({ runId }: { runId: string }) => void this.#join(runId)),
      channel.on("event", (event: { eventName: string; payload: JsonObject }) => this.#hear(event)),
      onWake(() => void this.#catchUp()),
    ];
    this.#live = { client, channel, closed: new AbortController(), calls, stops };
    this.set({ isRealTimeConnected: channel.isConnected });
    void this.#load();
    return () => this.disconnect();
  }

  disconnect(): void {
    const live = this.#live;
    if (live === undefined) return;
    this.#live = undefined;
    live.closed.abort();
    live.calls.close();
    for (const stop of live.stops) stop();
    if (this.#active !== undefined) this.set({ status: "ready" });
    this.#leaveActive();
    this.#flusher.cancel();
  }

  /** Draw the thread again: what is drawn of it has changed. */
  refresh(): void {
    this.#shownHistory = undefined;
    this.#show();
  }

  /**
   * Send a message and follow the answer. Resolves when the turn has ended; what went wrong is in `sendMessageError`. A turn
   * that is under way is ended by it.
   */
  async send(message: string, options: SendOptions = {}): Promise<void> {
    this.#leaveActive();
    // The same words again are the same message: what was owed for it is owed once.
    const requestId = this.#unsent?.content === message ? this.#unsent.requestId : crypto.randomUUID();
    const at = new Date().toISOString();
    const human: IMessage = {
      id: `sent-${requestId}`,
      type: "human",
      content: message,
      createdAt: at,
      isComplete: true,
    };
    const active = this.#begin({ requestId, human });
    this.#sent.add(requestId);
    this.#unsent = undefined;
    this.set({ status: "submitted", sendMessageError: undefined });
    this.#show();
    active.ended = this.#post(active, human, message, options);
    await active.ended;
  }

  /**
   * End the turn under way; its text so far stays. Resolves when the oracle has answered or the stream has ended, whichever is
   * first.
   */
  async abort(): Promise<void> {
    const [active, live] = [this.#active, this.#live];
    if (active === undefined || live === undefined) return;
    active.isAborted = true;
    const asked = abortTurn(live.client, this.sessionId).catch((error: unknown) => {
      active.isAborted = false;
      // When it has ended by itself, nothing was left to abort.
      if (this.#active === active) throw error;
    });
    await Promise.race([asked, active.ended]);
    if (this.#active === active) this.set({ status: "ready" });
  }

  /** Read the thread again. Resolves with it; with undefined when that failed. */
  async refetch(): Promise<IMessage[] | undefined> {
    this.#unsent = undefined;
    await this.#read();
    return this.get().error === undefined ? this.get().messages : undefined;
  }

  async #load(): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    const run = currentRun(live.client, this.sessionId, live.closed.signal).catch(() => null);
    await this.#read();
    const found = await run;
    if (found !== null) return await this.#join(found.runId);
    // A turn that ended between the two answers.
    if (this.#history.at(-1)?.type === "human" && this.#active === undefined) await this.#read();
  }

  /** After a pause: what is under way, and what was said meanwhile. */
  async #catchUp(): Promise<void> {
    if (this.#active === undefined) await this.#load();
  }

  #read(): Promise<void> {
    const reading = this.#readOnce();
    this.#reading = reading;
    return reading;
  }

  async #readOnce(): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    try {
      const history = await listMessages(live.client, this.sessionId, live.closed.signal);
      if (this.#live !== live) return;
      this.#history = keepUnchanged(this.#history, history);
      this.#shownHistory = undefined;
      this.set({ error: undefined, isLoading: false });
    } catch (thrown) {
      if (this.#live !== live) return;
      this.#tellPayment(thrown);
      this.set({ error: errorOf(thrown), isLoading: false });
    }
    this.#show();
  }

  #hear({ eventName, payload }: { eventName: string; payload: JsonObject }): void {
    if (eventName === "message_cache_invalidation") void this.#read();
    else if (eventName === "render_component") this.#hearComponent(payload as RenderComponentEventPayload);
    // A turn that another tab began.
    else if (eventName === "tool_call" && this.#active === undefined) void this.#catchUp();
  }

  #hearComponent(payload: RenderComponentEventPayload): void {
    const active = this.#active;
    if (active === undefined) return;
    if (payload.requestId !== active.requestId && payload.requestId !== active.turn.requestId) return;
    active.turn.addComponent(payload, `component-${active.turn.calls.size}`);
    this.#progress(active);
  }

  #begin({ requestId, human }: { requestId?: string; human?: IMessage }): Active {
    const answerId = `answer-${requestId ?? crypto.randomUUID()}`;
    const rest = { left: new AbortController(), ended: Promise.resolve(), isAborted: false };
    const active: Active = { turn: new Turn(), requestId, answerId, ...(human ? { human } : {}), ...rest };
    this.#active = active;
    return active;
  }

  /** Follow no longer what is under way: what it said stays until the history says it better. */
  #leaveActive(): void {
    const active = this.#active;
    if (active === undefined) return;
    active.left.abort();
    this.#fold(active, active.answerId, false);
  }

  async #post(active: Active, human: IMessage, message: string, options: SendOptions): Promise<void> {
    try {
      const live = this.#live;
      if (live === undefined) throw new Error("The oracle's address is not known yet.");
      await this.#reading;
      active.knownIds = new Set(this.#history.map(({ id }) => id));
      const { browserTools = {}, actions = [] } = this.options;
      const declared = await declareTools(Object.values(browserTools), actions);
      if (declared.tools !== undefined || declared.agActions !== undefined)
        await whenConnected(live.channel, socketWaitMs);
      const needsMatrix = options.attachments?.some(({ mxcUri, eventId }) => eventId ?? mxcUri?.startsWith("mxc:"));
      const headers = needsMatrix ? (this.options.matrixHeaders ?? {}) : {};
      const body = { ...options, ...declared, message, requestId: active.requestId ?? "" };
      const { signal } = active.left;
      const response = await postMessage(live.client, this.sessionId, body, { headers, signal });
      // It may have been asked for before the oracle knew of the turn.
      if (active.isAborted) void abortTurn(live.client, this.sessionId).catch(() => {});
      await this.#follow(active, response.headers.get("x-run-id") ?? "", response);
    } catch (thrown) {
      if (this.#active !== active) return;
      this.#active = undefined;
      const { requestId = "" } = active;
      this.#unsent = { ...human, requestId, isComplete: false, sendError: errorOf(thrown) };
      this.#tellPayment(thrown);
      this.set({ status: "error", sendMessageError: errorOf(thrown) });
      this.#show();
    }
  }

  /** Follow a turn that somebody began: this page before it was reloaded, or another one. */
  async #join(runId: string): Promise<void> {
    const active = this.#active;
    if (active !== undefined) {
      const isSame = active.turn.runId === undefined || active.turn.runId === runId;
      if (isSame) return;
      this.#leaveActive();
    }
    const joined = this.#begin({});
    joined.turn.runId = runId;
    this.set({ status: "submitted", sendMessageError: undefined });
    joined.ended = this.#follow(joined, runId).catch((thrown: unknown) => this.#lost(joined, thrown));
    await joined.ended;
  }

  async #follow(active: Active, runId: string, response?: Response): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    active.turn.runId = runId;
    const following = followRun({
      ...{ client: live.client, runId, response, signal: active.left.signal },
      onEvent: (event) => {
        if (active.isAborted && event.event === "message") return;
        active.turn.take(event);
        if (event.event === "tool_call") this.#offer(active, String(event.data.eventId));
        this.#progress(active);
      },
      onRestart: () => active.turn.restart(),
    });
    try {
      this.#finish(active, await following);
    } catch (thrown) {
      this.#lost(active, thrown);
    }
  }

  #offer({ turn, requestId }: Active, callId: string): void {
    const call = turn.calls.get(callId);
    if (call !== undefined) this.#live?.calls.offer(call, turn.requestId ?? requestId ?? "");
  }

  #progress(active: Active): void {
    if (this.#active !== active) return;
    if (active.turn.hasBegun && this.get().status === "submitted" && !active.isAborted)
      this.set({ status: "streaming" });
    this.#flusher.schedule(this.options.streamingMode ?? "immediate");
  }

  #finish(active: Active, { status, messageId }: JsonObject): void {
    if (this.#active !== active) return;
    this.#fold(active, String(messageId), status === "finished");
    const failed = status === "failed" || status === "interrupted";
    const sentence = status === "interrupted" ? "The oracle was interrupted." : "The turn failed.";
    this.set({
      status: failed ? "error" : "ready",
      sendMessageError: failed ? new Error(active.turn.failure ?? sentence) : undefined,
    });
    this.#show();
    void this.#read();
  }

  /** The turn could not be followed to its end. It goes on without us; the next wake looks for it. */
  #lost(active: Active, thrown: unknown): void {
    if (this.#active !== active) return;
    this.#fold(active, active.answerId, false);
    // Left on purpose, or known to the oracle no more: then the history has what there is.
    const isGone = active.left.signal.aborted || (thrown instanceof ApiError && thrown.status === 404);
    this.set(isGone ? { status: "ready" } : { status: "error", sendMessageError: errorOf(thrown) });
    this.#show();
    if (!active.left.signal.aborted) void this.#read();
  }

  /** Make history of a turn, until the oracle's own is read. */
  #fold(active: Active, messageId: string, isComplete: boolean): void {
    this.#flusher.cancel();
    const { turn, human, knownIds } = active;
    const layout = { parts: turn.parts, calls: turn.calls };
    this.#layouts.set(messageId, layout);
    const answer = turn.hasBegun ? { ...turn.message(messageId, () => false), isComplete } : undefined;
    if (answer !== undefined) answer.content = textOf(layout);
    if (!this.#history.some(({ id }) => id === messageId)) {
      this.#history = joinThread(this.#history, { human, knownIds, answer });
      this.#shownHistory = undefined;
    }
    this.#active = undefined;
  }

  #show(): void {
    const { actions = [], isShown = () => false } = this.options;
    const isAction = (name: string) => actions.some((action) => action.name === name);
    this.#shownHistory ??= this.#history.map((message) =>
      withComponents(message, this.#layouts.get(message.id), isAction, isShown),
    );
    const active = this.#active;
    if (active === undefined) {
      this.set({ messages: [...this.#shownHistory, ...this.#unsentMessages()] });
      return;
    }
    const answer = active.turn.hasBegun ? active.turn.message(active.answerId, isShown) : undefined;
    this.set({ messages: joinThread(this.#shownHistory, { human: active.human, knownIds: active.knownIds, answer }) });
  }

  #unsentMessages(): IMessage[] {
    if (this.#unsent === undefined) return [];
    const { requestId: _, ...message } = this.#unsent;
    return [message];
  }

  #tellPayment(thrown: unknown): void {
    if (thrown instanceof ApiError && thrown.status === 402) this.options.onPaymentRequiredError(thrown.claimIds);
  }

  #actionOf(name: string) {
    const action = this.options.actions?.find((each) => each.name === name);
    const { runAction } = this.options;
    return action && runAction && { action, handler: (args: unknown) => runAction(name, args) };
  }
}

const textOf = ({ parts }: Layout): string => parts.map((part) => ("text" in part ? part.text : "")).join("");
