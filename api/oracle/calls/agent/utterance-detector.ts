import load, { type Fvad } from "@echogarden/fvad-wasm";

/** Format of received sound: 16 kHz, one channel, 16 bits. */
export const hearingRate = 16_000;
/** Samples in 20 ms, the length of a browser's Opus frame. */
export const frameSamples = hearingRate / 50;

/**
 * In milliseconds: voice that begins an utterance, silence that ends it, sound that is kept before it, and the longest utterance.
 */
const limits = { begins: 160, ends: 700, before: 240, longest: 30_000 };
const frameMs = 20;

/** Loaded once, because it is a separate WebAssembly program. */
let loading: Promise<Fvad> | undefined;

export type UtteranceListener = { begun: () => void; spoken: (samples: Int16Array) => void };

/** Cuts a participant's speech into utterances, with the voice detector of WebRTC. */
export class UtteranceDetector {
  readonly #fvad: Fvad;
  readonly #detector: number;
  readonly #memory: number;
  readonly #heard: UtteranceListener;
  #frames: Int16Array[] = [];
  #voicedMs = 0;
  #silentMs = 0;
  #isSpeaking = false;

  private constructor(fvad: Fvad, heard: UtteranceListener) {
    this.#fvad = fvad;
    this.#heard = heard;
    this.#detector = fvad._fvad_new();
    this.#memory = fvad._malloc(frameSamples * 2);
    fvad._fvad_set_mode(this.#detector, 3);
    fvad._fvad_set_sample_rate(this.#detector, hearingRate);
  }

  static async open(heard: UtteranceListener): Promise<UtteranceDetector> {
    loading ??= load();
    return new UtteranceDetector(await loading, heard);
  }

  /** @param frame 20 ms */
  push(frame: Int16Array): void {
    const isVoice = this.#isVoice(frame);
    this.#frames.push(frame);
    this.#voicedMs = isVoice ? this.#voicedMs + frameMs : this.#isSpeaking ? this.#voicedMs : 0;
    this.#silentMs = isVoice ? 0 : this.#silentMs + frameMs;
    if (!this.#isSpeaking) {
      if (this.#voicedMs >= limits.begins) this.#begin();
      else if (this.#frames.length > (limits.before + limits.begins) / frameMs) this.#frames.shift();
    } else if (this.#silentMs >= limits.ends || this.#frames.length * frameMs >= limits.longest) this.#end();
  }

  close(): void {
    this.#fvad._free(this.#memory);
    this.#fvad._fvad_free(this.#detector);
  }

  #isVoice(frame: Int16Array): boolean {
    this.#fvad.HEAP16.set(frame, this.#memory >> 1);
    return this.#fvad._fvad_process(this.#detector, this.#memory, frame.length) === 1;
  }

  #begin(): void {
    this.#isSpeaking = true;
    this.#heard.begun();
  }

  #end(): void {
    const spoken = new Int16Array(this.#frames.length * frameSamples);
    for (const [i, frame] of this.#frames.entries()) spoken.set(frame, i * frameSamples);
    this.#frames = [];
    this.#isSpeaking = false;
    this.#voicedMs = 0;
    this.#silentMs = 0;
    this.#heard.spoken(spoken);
  }
}
