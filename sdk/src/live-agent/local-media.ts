import type { MediaKind } from "./media-frames.ts";

/** Which of the user's devices a call begins with; `true` is any. */
export type MediaChoice = { audio?: boolean | MediaTrackConstraints; video?: boolean | MediaTrackConstraints };

export type CallDevices = {
  audioInputs: MediaDeviceInfo[];
  videoInputs: MediaDeviceInfo[];
  audioOutputs: MediaDeviceInfo[];
};

export const noDevices: CallDevices = { audioInputs: [], videoInputs: [], audioOutputs: [] };

/** The user's microphone and camera, as far as they are on. */
export class LocalMedia {
  stream: MediaStream | null = null;
  #choice: { audio: MediaTrackConstraints; video: MediaTrackConstraints } = { audio: {}, video: {} };

  track(kind: MediaKind): MediaStreamTrack | null {
    return this.stream?.getTracks().find((track) => track.kind === kind) ?? null;
  }

  /** Ask for the devices. @throws DOMException when the user or the system refuses them */
  async open({ audio = true, video = false }: MediaChoice): Promise<void> {
    this.#choice = { audio: constraintsOf(audio), video: constraintsOf(video) };
    const wanted = { audio: audio !== false && this.#choice.audio, video: video !== false && this.#choice.video };
    const nothing = wanted.audio === false && wanted.video === false;
    this.stream = nothing ? new MediaStream() : await navigator.mediaDevices.getUserMedia(wanted);
  }

  /** Another device from now on, or the same one anew. Returns its track. */
  async use(kind: MediaKind, deviceId?: string): Promise<MediaStreamTrack> {
    const chosen = this.#choice[kind];
    const constraints = deviceId === undefined ? chosen : { ...chosen, deviceId: { exact: deviceId } };
    this.#choice = { ...this.#choice, [kind]: constraints };
    const fresh = await navigator.mediaDevices.getUserMedia(
      kind === "audio" ? { audio: constraints } : { video: constraints },
    );
    const track = fresh.getTracks()[0];
    if (track === undefined) throw new Error(`The device gave no ${kind}.`);
    this.drop(kind);
    // Another object: whoever shows the stream sees that it has changed.
    this.stream = new MediaStream([...(this.stream?.getTracks() ?? []), track]);
    return track;
  }

  /** Let a device go; its light goes out. */
  drop(kind: MediaKind): void {
    const dropped = this.track(kind);
    if (dropped === null) return;
    dropped.stop();
    this.stream = new MediaStream((this.stream?.getTracks() ?? []).filter((track) => track !== dropped));
  }

  close(): void {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
  }
}

function constraintsOf(given: boolean | MediaTrackConstraints): MediaTrackConstraints {
  return typeof given === "object" ? given : {};
}

/** Devices of this computer; their names are blank until the user has allowed one. */
export async function listDevices(): Promise<CallDevices> {
  const all = await navigator.mediaDevices.enumerateDevices();
  const of = (kind: MediaDeviceKind) => all.filter((device) => device.kind === kind);
  return { audioInputs: of("audioinput"), videoInputs: of("videoinput"), audioOutputs: of("audiooutput") };
}
