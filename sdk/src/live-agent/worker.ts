import { FrameOpener, FrameSealer, type MediaKind } from "./media-frames.ts";
import type { Bytes } from "./sframe.ts";

// Runs in a separate worker, so that a busy page does not delay frames. Bundled into worker-source.ts.

/** Messages from the page to the worker. `from` is the id of the participant who sends the media. */
export type WorkerCommand =
  | { type: "send-key"; keyId: number; base: Bytes }
  | { type: "receive-key"; from: string; keyId: number; base: Bytes }
  | { type: "forget"; from: string }
  | ({ type: "streams"; readable: ReadableStream; writable: WritableStream } & TransformOptions);

/** Message from the worker to the page: the transform with this number has processed a frame. */
export type WorkerReport = { type: "flows"; number: number };

/** Options of a transform; without `from` it encrypts what this participant sends. */
export type TransformOptions = { kind: MediaKind; number: number; from?: string };

type EncodedFrame = { data: ArrayBuffer };
type Transformer = {
  options: TransformOptions;
  readable: ReadableStream<EncodedFrame>;
  writable: WritableStream<EncodedFrame>;
  sendKeyFrameRequest?: () => Promise<unknown>;
};
type Scope = {
  onmessage: (event: { data: WorkerCommand }) => void;
  onrtctransform: (event: { transformer: Transformer }) => void;
  postMessage: (report: WorkerReport) => void;
};

/** Shortest time between two requests for a key frame, in milliseconds. */
const requestMs = 500;

const sealer = new FrameSealer();
const openers = new Map<string, FrameOpener>();

function openerOf(from: string): FrameOpener {
  const opener = openers.get(from) ?? new FrameOpener();
  openers.set(from, opener);
  return opener;
}

const scope = globalThis as unknown as Scope;

function pass({ options: { kind, number, from }, readable, writable, sendKeyFrameRequest }: Transformer): void {
  let askedAt = 0;
  let flows = false;
  /** A frame that cannot be decrypted breaks the video until the next key frame, so request one. */
  const askForPicture = () => {
    if (kind !== "video" || Date.now() < askedAt + requestMs) return;
    askedAt = Date.now();
    // Fails once the track is gone.
    sendKeyFrameRequest?.().catch(() => {});
  };
  const transform = async (frame: EncodedFrame, controller: TransformStreamDefaultController<EncodedFrame>) => {
    if (!flows) scope.postMessage({ type: "flows", number });
    flows = true;
    const data = new Uint8Array(frame.data);
    const passed = from === undefined ? await sealer.seal(kind, data) : await openerOf(from).open(kind, data);
    if (passed === undefined) {
      if (from !== undefined) askForPicture();
      return;
    }
    frame.data = passed.buffer;
    controller.enqueue(frame);
  };
  // The pipe ends when its track does.
  readable
    .pipeThrough(new TransformStream({ transform }))
    .pipeTo(writable)
    .catch(() => {});
}

scope.onrtctransform = ({ transformer }) => {
  const { options, readable, writable } = transformer;
  pass({ options, readable, writable, sendKeyFrameRequest: () => askOf(transformer) });
};

async function askOf(transformer: Transformer): Promise<void> {
  await transformer.sendKeyFrameRequest?.();
}

scope.onmessage = ({ data: command }) => {
  if (command.type === "send-key") void sealer.takeKey(command.base, command.keyId);
  else if (command.type === "receive-key") void openerOf(command.from).addKey(command.base, command.keyId);
  else if (command.type === "forget") openers.delete(command.from);
  else pass({ options: command, readable: command.readable, writable: command.writable });
};
