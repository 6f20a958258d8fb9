import { DeviceError } from "./device-error.ts";
import type { MediaKind } from "./media-frames.ts";

/** The user's devices at the start of a call; `true` is any device. */
export type MediaChoice = { audio?: boolean | MediaTrackConstraints; video?: boolean | MediaTrackConstraints };

export type CallDevices = {
  audioInputs: MediaDeviceInfo[];
  videoInputs: MediaDeviceInfo[];
  audioOutputs: MediaDeviceInfo[];
};

export const noDevices: CallDevices = { audioInputs: [], videoInputs: [], audioOutputs: [] };

/** The user's microphone and camera, if they are on. */
export class LocalMedia {
  stream: MediaStream | null = null;
  /** Called when a device in use was unplugged or forbidden. */
  readonly #lost: (kind: MediaKind) => void;
  #choice: Record<MediaKind, MediaTrackConstraints> = { audio: {}, video: {} };

  constructor(lost: (kind: MediaKind) => void) {
    this.#lost = lost;
  }

  track(kind: MediaKind): MediaStreamTrack | null {
    return this.stream?.getTracks().find((track) => track.kind === kind) ?? null;
  }

  /**
   * Open the devices. If only the camera fails, continue without it and resolve with its error.
   * @throws DeviceError for the microphone, or for the camera when no microphone is wanted
   */
  async open({ audio = true, video = false }: MediaChoice): Promise<DeviceError | undefined> {
    this.#choice = { audio: constraintsOf(audio), video: constraintsOf(video) };
    const [wantsAudio, wantsVideo] = [audio !== false, video !== false];
    this.stream = new MediaStream();
    if (wantsAudio && wantsVideo) {
      try {
        // In one request, so that the browser asks the user once.
        this.#add(await navigator.mediaDevices.getUserMedia(this.#choice));
        return undefined;
      } catch (error) {
        await this.use("audio");
        return new DeviceError("video", error);
      }
    }
    if (wantsAudio) await this.use("audio");
    if (wantsVideo) await this.use("video");
    return undefined;
  }

  /**
   * Open a device in place of the current one and return its track; `null` is any device. The current one stays until then.
   * @throws DeviceError
   */
  async use(kind: MediaKind, deviceId?: string | null): Promise<MediaStreamTrack> {
    const { deviceId: _, ...any } = this.#choice[kind];
    const chosen = deviceId === undefined ? this.#choice[kind] : any;
    const constraints = typeof deviceId === "string" ? { ...any, deviceId: { exact: deviceId } } : chosen;
    const fresh = await this.#ask(kind, constraints);
    const [track] = fresh.getTracks();
    if (track === undefined) throw new DeviceError(kind, new DOMException("", "NotFoundError"));
    this.#choice = { ...this.#choice, [kind]: constraints };
    this.drop(kind);
    this.#add(fresh);
    return track;
  }

  /** Release a device; its light goes out. */
  drop(kind: MediaKind): void {
    const dropped = this.track(kind);
    if (dropped === null) return;
    dropped.onended = null;
    dropped.stop();
    this.stream = new MediaStream((this.stream?.getTracks() ?? []).filter((track) => track !== dropped));
  }

  close(): void {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
  }

  async #ask(kind: MediaKind, constraints: MediaTrackConstraints): Promise<MediaStream> {
    const ask = () => navigator.mediaDevices.getUserMedia({ [kind]: constraints });
    try {
      return await ask();
    } catch (error) {
      const isBusy = (error as DOMException).name === "NotReadableError";
      if (!isBusy || this.track(kind) === null) throw new DeviceError(kind, error);
      // Phones open one camera at a time.
      this.drop(kind);
      return await ask().catch((again: unknown) => {
        throw new DeviceError(kind, again);
      });
    }
  }

  #add(fresh: MediaStream): void {
    for (const track of fresh.getTracks()) track.onended = () => this.#lost(track.kind as MediaKind);
    // A new object, so that components notice the change.
    this.stream = new MediaStream([...(this.stream?.getTracks() ?? []), ...fresh.getTracks()]);
  }
}

function constraintsOf(given: boolean | MediaTrackConstraints): MediaTrackConstraints {
  return typeof given === "object" ? given : {};
}

/** List this computer's devices; their labels are empty until the user has allowed one. */
export async function listDevices(): Promise<CallDevices> {
  const all = await navigator.mediaDevices.enumerateDevices();
  const of = (kind: MediaDeviceKind) => all.filter((device) => device.kind === kind);
  return { audioInputs: of("audioinput"), videoInputs: of("videoinput"), audioOutputs: of("audiooutput") };
}
