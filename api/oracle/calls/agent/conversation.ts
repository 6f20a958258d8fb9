import { AppError } from "../../../platform/errors.ts";
import type { Log } from "../../../platform/log.ts";
import { AnswerSpeaker } from "./answer-speaker.ts";
import { type Notice, notices } from "./notices.ts";
import { type SpeechOptions, synthesise, transcribe } from "./speech-api.ts";
import type { UtteranceListener } from "./utterance-detector.ts";

/** A running turn of the session: its text so far, and its end. */
export type SpokenTurn = { text: () => string; ended: Promise<unknown> };

/** Starts a turn with the user's spoken words, like any message. @throws AppError when it is refused */
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
  /** Id of a caption that is updated while it grows. */
  id?: string;
  /** Code of a notice, so that an app can translate it. */
  code?: Notice | "refused";
};

/** Actions of the conversation in the call. */
export type CallActions = {
  caption: (words: ShownWords) => Promise<void>;
  /** Queue samples behind those that are being played. */
  say: (samples: Int16Array) => void;
  hush: () => void;
  askForPayment: (claimIds: string[]) => Promise<void>;
};

/** How often a growing answer is shown, in milliseconds. */
const showMs = 300;

/** Turns speech in a call into messages of its session, and shows and speaks their answers. */
export class Conversation implements UtteranceListener {
  readonly #parts: ConversationDeps;
  readonly #acts: CallActions;
  readonly #closed = new AbortController();
  /** Utterances are transcribed one after the other; a new one does not wait for the answer to the previous one. */
  #hearing: Promise<void> = Promise.resolve();
  /** Number of the last utterance: answers to earlier ones are no longer spoken. */
  #round = 0;

  constructor(parts: ConversationDeps, acts: CallActions) {
    this.#parts = parts;
    this.#acts = acts;
  }

  get canHear(): boolean {
    return this.#parts.speech.hear !== undefined;
  }

  /** Show a notice if hearing or speaking is not configured. */
  async greet(): Promise<void> {
    const { hear, speak } = this.#parts.speech;
    if (hear === undefined) await this.#notice("cannot-hear");
    else if (speak === undefined) await this.#notice("writes-only");
  }

  /** The agent stops speaking when the user speaks. */
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
    // This ends the previous turn, if it is still running.
    const turn = await startTurn({ user, sessionId, callId, message });
    void this.#answer(turn, round).catch((error) => this.#apologise(error));
  }

  /** Show the answer while it is generated, and speak it sentence by sentence. */
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
      // A failure is only logged: the whole answer is shown at the end, and an ended call shows nothing.
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

  /** Show why there is no answer; the call continues. */
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
