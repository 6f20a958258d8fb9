import { AppError } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import { type SpeechOptions, synthesise, transcribe } from "./speech.ts";
import type { HeardVoice } from "./voice.ts";

/** A turn of the session that has begun: its text so far, and its end. */
export type SpokenTurn = { text: () => string; ended: Promise<unknown> };

/** Begins a turn with what the user said, as any message of theirs. @throws AppError where it is refused */
export type BeginSpokenTurn = (said: {
  user: string;
  sessionId: string;
  callId: string;
  message: string;
}) => Promise<SpokenTurn>;

export type TalkParts = {
  call: { id: string; sessionId: string; userDid: string };
  speech: SpeechOptions;
  begin: BeginSpokenTurn;
  log: Log;
};

/** What the conversation does in the call. */
export type TalkActs = {
  caption: (text: string, role: "user" | "agent" | "notice", isFinal: boolean, id?: string) => Promise<void>;
  say: (samples: Int16Array) => void;
  hush: () => void;
};

const cannotHear =
  "I am in the call, but I cannot hear: no speech recognition is set up here. Type to me in the conversation instead.";
const canHearOnly = "I am listening. I answer in writing: no voice is set up here.";
/** How often an answer that grows is shown, in milliseconds. */
const showMs = 300;

/** What is said in a call becomes messages of its session, and their answers are shown and spoken. */
export class Conversation implements HeardVoice {
  readonly #parts: TalkParts;
  readonly #acts: TalkActs;
  readonly #closed = new AbortController();
  #answering: Promise<void> = Promise.resolve();
  /** Of the utterance that was heard last: an answer to an earlier one is not spoken any more. */
  #round = 0;

  constructor(parts: TalkParts, acts: TalkActs) {
    this.#parts = parts;
    this.#acts = acts;
  }

  get canHear(): boolean {
    return this.#parts.speech.hear !== undefined;
  }

  /** Say what one can expect, where it is less than all. */
  async greet(): Promise<void> {
    const { hear, speak } = this.#parts.speech;
    if (hear === undefined) await this.#acts.caption(cannotHear, "notice", true);
    else if (speak === undefined) await this.#acts.caption(canHearOnly, "notice", true);
  }

  /** Whoever speaks is not spoken over. */
  begun(): void {
    this.#round += 1;
    this.#acts.hush();
  }

  spoken(samples: Int16Array): void {
    const round = this.#round;
    this.#answering = this.#answering
      .then(() => this.#answer(samples, round))
      .catch(async (error: unknown) => {
        if (this.#closed.signal.aborted) return;
        const refused = error instanceof AppError && error.status < 500;
        if (!refused) this.#parts.log.error({ err: error }, "an utterance could not be answered");
        const sorry = "I could not understand or answer that. Please say it again, or type it.";
        await this.#acts.caption(refused ? error.message : sorry, "notice", true);
      })
      .catch((err: unknown) => this.#parts.log.warn({ err }, "a call is over before its answer"));
  }

  close(): void {
    this.#closed.abort();
  }

  async #answer(samples: Int16Array, round: number): Promise<void> {
    const { speech, begin, call } = this.#parts;
    const { signal } = this.#closed;
    if (speech.hear === undefined || signal.aborted) return;
    const message = await transcribe(speech.hear, samples, signal);
    if (message === "" || signal.aborted) return;
    await this.#acts.caption(message, "user", true);
    const { userDid: user, sessionId, id: callId } = call;
    const turn = await begin({ user, sessionId, callId, message });
    const text = await this.#show(turn);
    if (text === "" || speech.speak === undefined || round !== this.#round) return;
    const voice = await synthesise(speech.speak, text, signal);
    if (round === this.#round && !signal.aborted) this.#acts.say(voice);
  }

  /** Show the answer while it is made. Resolves with all of it. */
  async #show({ text, ended }: SpokenTurn): Promise<string> {
    const id = crypto.randomUUID();
    let shown = "";
    const show = (isFinal: boolean): Promise<void> => {
      if (text() === shown && !isFinal) return Promise.resolve();
      shown = text();
      return this.#acts.caption(shown, "agent", isFinal, id);
    };
    const timer = setInterval(() => {
      // The whole is shown at the end, and a call that is over shows nothing.
      show(false).catch((err: unknown) => this.#parts.log.debug({ err }, "a piece of an answer was not shown"));
    }, showMs);
    await ended.finally(() => clearInterval(timer));
    if (text() !== "") await show(true);
    return text();
  }
}
