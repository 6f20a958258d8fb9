import OpusScript from "opusscript";
import { speakingRate } from "./speech-api.ts";

const frameMs = 20;
const frameSamples = (speakingRate / 1_000) * frameMs;

/** Plays samples as Opus frames, one every 20 ms, until all are played or others replace them. */
export class SpeechPlayer {
  readonly #send: (frame: Buffer) => void;
  readonly #opus = new OpusScript(speakingRate, 1, OpusScript.Application.VOIP);
  #frames: Int16Array[] = [];
  #timer: NodeJS.Timeout | undefined;
  #nextAt = 0;

  constructor(send: (frame: Buffer) => void) {
    this.#send = send;
  }

  /** Play samples after the current ones. */
  say(samples: Int16Array): void {
    const isSilent = this.#frames.length === 0;
    for (let at = 0; at < samples.length; at += frameSamples) {
      const frame = new Int16Array(frameSamples);
      frame.set(samples.subarray(at, at + frameSamples));
      this.#frames.push(frame);
    }
    if (!isSilent) return;
    // The last frame may still be playing.
    this.#nextAt = Math.max(this.#nextAt, performance.now());
    this.#step();
  }

  hush(): void {
    clearTimeout(this.#timer);
    this.#frames = [];
    this.#nextAt = 0;
  }

  close(): void {
    this.hush();
    this.#opus.delete();
  }

  /** Send all due frames, so that a late timer does not slow the speech. */
  #step(): void {
    while (this.#frames.length > 0 && performance.now() >= this.#nextAt) {
      const frame = this.#frames.shift();
      if (frame === undefined) return;
      this.#send(this.#opus.encode(Buffer.from(frame.buffer), frameSamples));
      this.#nextAt += frameMs;
    }
    if (this.#frames.length > 0) this.#timer = setTimeout(() => this.#step(), this.#nextAt - performance.now());
  }
}
