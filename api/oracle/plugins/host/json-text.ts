/** A tool's answer that is JSON already: its numbers keep every digit that they have. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
