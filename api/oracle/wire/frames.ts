import { createHash, type Hash } from "node:crypto";

/** The text of the first `reasoning` event, sent before the model has reasoned. */
export const thinking = "Thinking…";

/** Encode one frame of an event stream. `data` is one line of JSON. */
export function encodeFrame(seq: number, event: string, data: string): string {
  return `event: ${event}\nid: ${seq}\ndata: ${data}\n\n`;
}

/** Consecutive frames, numbered without a gap. */
export type FrameBlock = { firstSeq: number; lastSeq: number; frames: string };

/** The frames of a block after a number. Each frame ends with the only empty line that it has. */
export function framesAfter({ firstSeq, lastSeq, frames }: FrameBlock, after: number): string {
  if (after < firstSeq) return frames;
  if (after >= lastSeq) return "";
  let start = 0;
  for (let seq = firstSeq; seq <= after; seq++) start = frames.indexOf("\n\n", start) + 2;
  return frames.slice(start);
}

export type ReadFrame = { seq: number; event: string; data: string };

/** Decode a block's frames. */
export function readFrames(frames: string): ReadFrame[] {
  return frames
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const [event = "", id = "", data = ""] = frame.split("\n");
      return { seq: Number(id.slice("id: ".length)), event: event.slice("event: ".length), data: data.slice(6) };
    });
}

/** Counts frames and digests their data lines, joined by newlines. The `done` frame carries both, so a client notices a cut stream. */
export class FrameTally {
  count = 0;
  readonly #hash: Hash = createHash("sha256");

  add(data: string): void {
    this.#hash.update(this.count === 0 ? data : `\n${data}`);
    this.count += 1;
  }

  digest(): string {
    return `sha256-${this.#hash.copy().digest("base64")}`;
  }
}
