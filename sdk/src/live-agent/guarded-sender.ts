/**
 * Sends a track only once it is shown that its frames go through the cipher: until then a copy that is switched off stands in
 * for it, which is silence or a black picture.
 */
export class GuardedSender {
  readonly #sender: RTCRtpSender;
  #flows = false;
  #track: MediaStreamTrack | null = null;
  #standIn: MediaStreamTrack | undefined;

  /** @param flows resolves when frames have come through the cipher */
  constructor(sender: RTCRtpSender, flows: Promise<void>) {
    this.#sender = sender;
    void flows.then(() => {
      this.#flows = true;
      // Refused only by a connection that has been closed meanwhile.
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
