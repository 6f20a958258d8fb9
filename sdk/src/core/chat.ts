import { type Active, beginFollowing, isUnsent, notSent } from "./active-turn.ts";
import { ApiError, errorOf } from "./api-error.ts";
import {
  type ChatConnection,
  type ChatOptions,
  type ChatState,
  IDLE_RUN_STATE,
  initialChatState,
} from "./chat-state.ts";
import { holdTurn } from "./claim-call.ts";
import type { RenderComponentEventPayload } from "./events.ts";
import { Flusher } from "./flush.ts";
import { followRun } from "./follow-run.ts";
import { History } from "./history.ts";
import { Later } from "./later.ts";
import { messageRequest } from "./message-body.ts";
import { abortTurn, currentRun, postMessage, type SendOptions } from "./messages.ts";
import { SendOrder } from "./send-order.ts";
import { SessionCalls } from "./session-calls.ts";
import { Store } from "./store.ts";
import { joinThread, ownMessage } from "./thread.ts";
import { endOf, runOf, textOf } from "./turn.ts";
import type { ChatRunState, IMessage, JsonObject, RefetchOptions } from "./types.ts";
import { onWake } from "./wake.ts";

const isOwed = (thrown: unknown): thrown is ApiError => thrown instanceof ApiError && thrown.status === 402;

type Live = ChatConnection & { closed: AbortController; calls: SessionCalls; stops: (() => void)[] };

/**
 * Keep the thread of one session: read its history, send messages, and follow turns that any page started. Needs no React.
 * @example
 * ```ts
 * import { Chat, type ChatConnection } from "@hearth/oracles-client-sdk/core";
 *
 * export async function ask(connection: ChatConnection, sessionId: string, question: string) {
 *   const chat = new Chat(sessionId, { onPaymentRequiredError: (claimIds) => console.log("Unpaid claims:", claimIds) });
 *   const disconnect = chat.connect(connection);
 *   await chat.send(question);
 *   disconnect();
 *   return chat.get().messages.at(-1);
 * }
 * ```
 */
export class Chat extends Store<ChatState> {
  readonly sessionId: string;
  options: ChatOptions;
  readonly #flusher = new Flusher(() => this.#show());
  readonly #history = new History();
  readonly #sent = new Set<string>();
  readonly #order = new SendOrder();
  readonly #connected = new Later<Live>();
  #unsent: { message: IMessage; requestId: string } | undefined;
  #active: Active | undefined;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(sessionId: string, options: ChatOptions) {
    super(initialChatState);
    this.sessionId = sessionId;
    this.options = options;
  }

  /** Read the history and listen for events. Returns a function that disconnects; the chat can be connected again. */
  connect({ client, channel }: ChatConnection): () => void {
    this.disconnect();
    const calls = new SessionCalls({
      sessionId: this.sessionId,
      channel,
      tools: () => this.options.browserTools,
      action: (name) => this.#actionOf(name),
      isOwn: (requestId) => this.#sent.has(requestId),
      confirm: () => this.options.onConfirmationRequest,
    });
    let wasConnected = false;
    const stops = [
      channel.onStatus((isRealTimeConnected) => {
        this.set({ isRealTimeConnected });
        // Events during the disconnection were missed.
        if (isRealTimeConnected && wasConnected) void this.#catchUp();
        wasConnected ||= isRealTimeConnected;
      }),
      channel.on("run", ({ runId }: { runId: string }) => void this.#join(runId, { isNew: true })),
      channel.on("event", (event: { eventName: string; payload: JsonObject }) => this.#hear(event)),
      onWake(() => void this.#catchUp()),
    ];
    this.#connected.set({ client, channel, closed: new AbortController(), calls, stops });
    this.set({ isRealTimeConnected: channel.isConnected });
    void this.#load();
    return () => this.disconnect();
  }

  /** Reject what waits for a connection. */
  unreachable(error: Error): void {
    this.#connected.fail(error);
  }

  get #live(): Live | undefined {
    return this.#connected.value;
  }

  disconnect(): void {
    const live = this.#live;
    if (live === undefined) return;
    this.#connected.set(undefined);
    live.closed.abort();
    live.calls.close();
    for (const stop of live.stops) stop();
    if (this.#active !== undefined) this.set({ status: "ready" });
    this.#leaveActive();
    this.#flusher.cancel();
  }

  /** Compute the thread again, after a change of which calls are shown. */
  refresh(): void {
    this.#history.refresh();
    this.#show();
  }

  /**
   * Send a message and follow the answer. Resolves when the turn has ended; errors are in `sendMessageError`. Waits until the
   * oracle's URL is known. Ends the running turn once the oracle has accepted that turn's message, so that messages sent quickly
   * after each other are not lost.
   */
  async send(message: string, options: SendOptions = {}): Promise<void> {
    // Sending a failed message again reuses its request id, so it is charged once.
    const requestId = this.#unsent?.message.content === message ? this.#unsent.requestId : crypto.randomUUID();
    const human = ownMessage(requestId, message, options);
    this.#sent.add(requestId);
    this.#unsent = undefined;
    const release = holdTurn(requestId);
    try {
      const { before, accepted } = this.#order.enter(human);
      if (before !== undefined) {
        this.#show();
        await before;
      }
      this.#leaveActive();
      const active = this.#begin({ requestId, human });
      this.set({ status: "submitted", sendMessageError: undefined });
      this.#show();
      active.ended = this.#post(active, human, options, accepted);
      await active.ended;
    } finally {
      release();
    }
  }

  /**
   * Stop the running turn; its text so far stays. Resolves when the oracle has responded or the stream has ended, whichever is
   * first.
   */
  async abort(): Promise<void> {
    const [active, live] = [this.#active, this.#live];
    if (active === undefined) return;
    active.isAborted = true;
    // A message that waits for the oracle's URL or for a network is not sent at all.
    if (live === undefined || isUnsent(active)) return active.left.abort(notSent());
    const asked = abortTurn(live.client, this.sessionId).catch((error: unknown) => {
      active.isAborted = false;
      // If the turn has ended by itself, there was nothing to abort.
      if (this.#active === active) throw error;
    });
    await Promise.race([asked, active.ended]);
    if (this.#active === active) this.set({ status: "ready" });
  }

  /** Read the thread again; resolves with undefined on failure, or rejects with `throwOnError`. */
  async refetch({ throwOnError = false }: RefetchOptions = {}): Promise<IMessage[] | undefined> {
    this.#unsent = undefined;
    await this.#read();
    const { error, messages } = this.get();
    if (error === undefined) return messages;
    if (throwOnError) throw error;
    return undefined;
  }

  /** Load earlier turns; a failure is in `error`. */
  async loadEarlier(): Promise<void> {
    const live = this.#live;
    if (live === undefined || !this.#history.hasEarlier || this.get().isLoadingEarlier) return;
    this.set({ isLoadingEarlier: true });
    try {
      await this.#history.readEarlier(this.#whatToRead(live));
      this.set({ error: undefined });
    } catch (thrown) {
      if (this.#live === live) this.set({ error: errorOf(thrown) });
    } finally {
      this.set({ isLoadingEarlier: false });
    }
    this.#show();
  }

  async #load(): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    let unknown: ApiError | undefined;
    const run = currentRun(live.client, this.sessionId, live.closed.signal).catch((thrown: unknown) => {
      if (thrown instanceof ApiError && thrown.status === 404) unknown = thrown;
      return null;
    });
    await this.#read();
    const found = await run;
    // The history of an unknown session is an empty page; only the request for its turn answers 404.
    if (unknown !== undefined && this.#live === live && this.#history.messages.length === 0)
      this.set({ error: unknown });
    if (found !== null) return await this.#join(found.runId);
    // A turn may have ended between the two responses.
    if (this.#history.messages.at(-1)?.type === "human" && this.#active === undefined) await this.#read();
  }

  #whatToRead({ client, closed }: Live) {
    return { client, sessionId: this.sessionId, signal: closed.signal, limit: this.options.historyPageSize };
  }

  /** Load what happened while the page was not listening. */
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
      await this.#history.read(this.#whatToRead(live));
      if (this.#live !== live) return;
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
    // Another tab started a turn.
    else if (eventName === "tool_call" && this.#active === undefined) void this.#catchUp();
  }

  #hearComponent(payload: RenderComponentEventPayload): void {
    const active = this.#active;
    if (active === undefined || ![active.requestId, active.turn.requestId].includes(payload.requestId)) return;
    active.turn.addComponent(payload, `component-${active.turn.calls.size}`);
    this.#progress(active);
  }

  #begin({ requestId, human }: { requestId?: string; human?: IMessage }): Active {
    const active = beginFollowing(requestId, human);
    this.#active = active;
    this.set({ run: { ...IDLE_RUN_STATE, requestId: requestId ?? null } });
    return active;
  }

  /** Stop following the running turn; its text stays until the history replaces it. */
  #leaveActive(): void {
    const active = this.#active;
    if (active === undefined) return;
    active.left.abort();
    this.#fold(active, active.answerId, false);
  }

  async #post(active: Active, human: IMessage, options: SendOptions, accept: () => void): Promise<void> {
    try {
      const live = await this.#whenLive(active.left.signal);
      await this.#reading;
      active.knownIds = new Set(this.#history.messages.map(({ id }) => id));
      const said = { message: String(human.content), requestId: active.requestId ?? "" };
      const { body, headers } = await messageRequest(said, options, this.options, live);
      const { signal } = active.left;
      const response = await postMessage(live.client, this.sessionId, body, { headers, signal });
      accept();
      // The first abort may have reached the oracle before the turn existed.
      if (active.isAborted) void abortTurn(live.client, this.sessionId).catch(() => {});
      await this.#follow(active, response.headers.get("x-run-id") ?? "", response);
    } catch (thrown) {
      accept();
      if (this.#active !== active) return;
      this.#active = undefined;
      const { requestId = "" } = active;
      this.#unsent = { message: { ...human, isComplete: false, sendError: errorOf(thrown) }, requestId };
      // Payment required is not a failure: the app is notified, and the message can be sent again.
      this.set(isOwed(thrown) ? { status: "ready" } : { status: "error", sendMessageError: errorOf(thrown) });
      this.#show();
      this.#tellPayment(thrown);
    }
  }

  async #whenLive(signal: AbortSignal): Promise<Live> {
    if (this.sessionId === "") throw new Error("There is no session to send to.");
    return await this.#connected.when(signal);
  }

  /** Follow a turn that this page did not start, or started before a reload. For a new turn, read its question first. */
  async #join(runId: string, { isNew = false } = {}): Promise<void> {
    const active = this.#active;
    if (active !== undefined) {
      const isSame = active.turn.runId === undefined || active.turn.runId === runId;
      if (isSame) return;
      this.#leaveActive();
    }
    const joined = this.#begin({});
    joined.turn.runId = runId;
    this.set({ status: "submitted", sendMessageError: undefined });
    if (isNew) void this.#read();
    joined.ended = this.#follow(joined, runId).catch((thrown: unknown) => this.#lost(joined, thrown));
    await joined.ended;
  }

  async #follow(active: Active, runId: string, response?: Response): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    active.turn.runId = runId;
    this.#tellRun(active, { runId });
    const following = followRun({
      client: live.client,
      runId,
      response,
      signal: active.left.signal,
      onOpen: ({ headers }) => {
        // The final id of the answer, so that components keep their identity when the answer ends.
        active.answerId = headers.get("x-message-id") ?? active.answerId;
        this.#tellRun(active, { reconnecting: false });
      },
      onLost: () => this.#tellRun(active, { reconnecting: true }),
      onEvent: (event) => {
        if (active.isAborted && event.event === "message") return;
        active.turn.take(event);
        if (event.event === "run") this.#tellRun(active, runOf(event.data, this.get().run));
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

  #tellRun(active: Active, change: Partial<ChatRunState>): void {
    if (this.#active === active) this.set({ run: { ...this.get().run, ...change } });
  }

  #offer({ turn, requestId }: Active, callId: string): void {
    const call = turn.calls.get(callId);
    if (call !== undefined) this.#live?.calls.offer(call, turn.requestId ?? requestId ?? "");
  }

  #progress(active: Active): void {
    if (this.#active !== active) return;
    if (active.turn.hasBegun && this.get().status === "submitted" && !active.isAborted)
      this.set({ status: "streaming" });
    this.#flusher.schedule(this.options.streamingMode ?? "immediate", this.options.streamingThrottleMs);
  }

  #finish(active: Active, { status, messageId }: JsonObject): void {
    if (this.#active !== active) return;
    this.#tellRun(active, { reconnecting: false, ended: endOf(status) });
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

  /** Stop following a turn that became unreachable. The turn continues; the next wake looks for it. */
  #lost(active: Active, thrown: unknown): void {
    if (this.#active !== active) return;
    if (!active.left.signal.aborted) this.#tellRun(active, { reconnecting: false, ended: "disconnected" });
    this.#fold(active, active.answerId, false);
    // After an abort or a 404 the history has the rest.
    const isGone = active.left.signal.aborted || (thrown instanceof ApiError && thrown.status === 404);
    this.set(isGone ? { status: "ready" } : { status: "error", sendMessageError: errorOf(thrown) });
    this.#show();
    if (!active.left.signal.aborted) void this.#read();
  }

  /** Add the turn to the local history until the oracle's history is read. */
  #fold(active: Active, messageId: string, isComplete: boolean): void {
    this.#flusher.cancel();
    const { turn, human, knownIds } = active;
    const layout = { parts: turn.parts, calls: turn.calls };
    this.#history.keepLayout(messageId, layout);
    const answer = turn.hasBegun ? { ...turn.message(messageId, () => false), isComplete } : undefined;
    if (answer !== undefined) answer.content = textOf(layout);
    const { messages } = this.#history;
    if (!messages.some(({ id }) => id === messageId)) {
      this.#history.replace(joinThread(messages, { human, knownIds, answer }));
    }
    this.#active = undefined;
  }

  #show(): void {
    const { actions = [], isShown = () => false } = this.options;
    const isAction = (name: string) => actions.some((action) => action.name === name);
    const history = this.#history.show(isAction, isShown);
    const active = this.#active;
    const answer = active?.turn.hasBegun ? active.turn.message(active.answerId, isShown) : undefined;
    const pending = { human: active?.human, knownIds: active?.knownIds, answer };
    const thread =
      active === undefined
        ? [...history, ...(this.#unsent === undefined ? [] : [this.#unsent.message])]
        : joinThread(history, pending);
    this.set({ messages: [...thread, ...this.#order.waiting], hasEarlier: this.#history.hasEarlier });
  }

  #tellPayment(thrown: unknown): void {
    if (isOwed(thrown)) this.options.onPaymentRequiredError(thrown.claimIds);
  }

  #actionOf(name: string) {
    const action = this.options.actions?.find((each) => each.name === name);
    const { runAction } = this.options;
    return action && runAction && { action, handler: (args: unknown) => runAction(name, args) };
  }
}
