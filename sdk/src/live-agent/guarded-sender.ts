/**
 * Send a track only after frames have demonstrably passed through the cipher. Until then send a disabled copy of it: silence or a
 * black picture.
 */
export class GuardedSender {
  readonly #sender: RTCRtpSender;
  #flows = false;
  #track: MediaStreamTrack | null = null;
  #standIn: MediaStreamTrack | undefined;

  /** @param flows resolves when frames have passed through the cipher */
  constructor(sender: RTCRtpSender, flows: Promise<void>) {
    this.#sender = sender;
    void flows.then(() => {
      this.#flows = true;
      // Fails only if the connection has been closed meanwhile.
      this.send(this.#track).catch(() => {});
    });
  }

  async send(track: MediaStreamTrack | null): Promise<void> {
    this.#track = track;
    if (this.#flows || track === null) {
      await this.#sender.replaceTrack(track);
      this.close();
      return;
    }
    const standIn = track.clone();
    standIn.enabled = false;
    this.close();
    this.#standIn = standIn;
    await this.#sender.replaceTrack(standIn);
  }

  close(): void {
    this.#standIn?.stop();
    this.#standIn = undefined;
  }
}
