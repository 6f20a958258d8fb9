import { AppError } from "../../../platform/errors.ts";
import type { Log } from "../../../platform/log.ts";
import { AnswerSpeaker } from "./answer-speaker.ts";
import { type Notice, notices } from "./notices.ts";
import { type SpeechOptions, synthesise, transcribe } from "./speech-api.ts";
import type { UtteranceListener } from "./utterance-detector.ts";

/** A turn of the session that has begun: its text so far, and its end. */
export type SpokenTurn = { text: () => string; ended: Promise<unknown> };

/** Begins a turn with what the user said, as any message of theirs. @throws AppError where it is refused */
export type StartSpokenTurn = (said: {
  user: string;
  sessionId: string;
  callId: string;
  message: string;
}) => Promise<SpokenTurn>;

export type ConversationDeps = {
  call: { id: string; sessionId: string; userDid: string };
  speech: SpeechOptions;
  startTurn: StartSpokenTurn;
  log: Log;
};

export type ShownWords = {
  text: string;
  role: "user" | "agent" | "notice";
  isFinal: boolean;
  /** Of words that grow. */
  id?: string;
  /** Of a notice: which one, for who shows it in another language. */
  code?: Notice | "refused";
};

/** What the conversation does in the call. */
export type CallActions = {
  caption: (words: ShownWords) => Promise<void>;
  /** Say samples after those that are being said. */
  say: (samples: Int16Array) => void;
  hush: () => void;
  askForPayment: (claimIds: string[]) => Promise<void>;
};

/** How often an answer that grows is shown, in milliseconds. */
const showMs = 300;

/** What is said in a call becomes messages of its session, and their answers are shown and spoken. */
export class Conversation implements UtteranceListener {
  readonly #parts: ConversationDeps;
  readonly #acts: CallActions;
  readonly #closed = new AbortController();
  /** Utterances are understood one after the other; a new one does not wait for the answer to the last. */
  #hearing: Promise<void> = Promise.resolve();
  /** Of the utterance that was heard last: an answer to an earlier one is not spoken any more. */
  #round = 0;

  constructor(parts: ConversationDeps, acts: CallActions) {
    this.#parts = parts;
    this.#acts = acts;
  }

  get canHear(): boolean {
    return this.#parts.speech.hear !== undefined;
  }

  /** Say what one can expect, where it is less than all. */
  async greet(): Promise<void> {
    const { hear, speak } = this.#parts.speech;
    if (hear === undefined) await this.#notice("cannot-hear");
    else if (speak === undefined) await this.#notice("writes-only");
  }

  /** Whoever speaks is not spoken over. */
  begun(): void {
    this.#round += 1;
    this.#acts.hush();
  }

  spoken(samples: Int16Array): void {
    const round = this.#round;
    this.#hearing = this.#hearing.then(() => this.#hear(samples, round)).catch((error) => this.#apologise(error));
  }

  close(): void {
    this.#closed.abort();
  }

  async #hear(samples: Int16Array, round: number): Promise<void> {
    const { speech, startTurn, call, log } = this.#parts;
    const { signal } = this.#closed;
    if (speech.hear === undefined || signal.aborted) return;
    const message = await transcribe(speech.hear, samples, signal).catch(async (err: unknown) => {
      if (signal.aborted) return "";
      log.error({ err }, "an utterance could not be understood");
      await this.#notice("not-understood");
      return "";
    });
    if (message === "" || signal.aborted) return;
    await this.#acts.caption({ text: message, role: "user", isFinal: true });
    const { userDid: user, sessionId, id: callId } = call;
    // It ends the turn before, if that is still under way.
    const turn = await startTurn({ user, sessionId, callId, message });
    void this.#answer(turn, round).catch((error) => this.#apologise(error));
  }

  /** Show the answer while it is made, and speak it sentence by sentence. */
  async #answer({ text, ended }: SpokenTurn, round: number): Promise<void> {
    const { speak } = this.#parts.speech;
    const { signal } = this.#closed;
    const id = crypto.randomUUID();
    const isCurrent = () => round === this.#round && !signal.aborted;
    const spoken =
      speak && new AnswerSpeaker((sentence) => synthesise(speak, sentence, signal), this.#acts.say, isCurrent);
    let shown = "";
    const show = async (isFinal: boolean) => {
      if (text() === shown && !isFinal) return;
      shown = text();
      spoken?.push(shown, isFinal);
      await this.#acts.caption({ text: shown, role: "agent", isFinal, id });
    };
    const timer = setInterval(() => {
      // The whole is shown at the end, and a call that is over shows nothing.
      show(false).catch((err: unknown) => this.#parts.log.debug({ err }, "a piece of an answer was not shown"));
    }, showMs);
    await ended.finally(() => clearInterval(timer));
    if (text() === "" || signal.aborted) return;
    await show(true);
    await spoken?.ended.catch(async (err: unknown) => {
      if (signal.aborted) return;
      this.#parts.log.error({ err }, "an answer could not be spoken");
      await this.#notice("no-voice");
    });
  }

  async #notice(code: Notice): Promise<void> {
    await this.#acts.caption({ text: notices[code], role: "notice", isFinal: true, code });
  }

  /** Say why there is no answer; the call goes on. */
  async #apologise(error: unknown): Promise<void> {
    if (this.#closed.signal.aborted) return;
    try {
      if (error instanceof AppError && error.code === "PAYMENT_REQUIRED") {
        await this.#notice("payment-required");
        await this.#acts.askForPayment((error.extra?.claimIds as string[] | undefined) ?? []);
      } else if (error instanceof AppError && error.status < 500) {
        await this.#acts.caption({ text: error.message, role: "notice", isFinal: true, code: "refused" });
      } else {
        this.#parts.log.error({ err: error }, "an utterance could not be answered");
        await this.#notice("not-answered");
      }
    } catch (err) {
      this.#parts.log.warn({ err }, "a call is over before its answer");
    }
  }
}
