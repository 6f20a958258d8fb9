/** A tool's result that is JSON text already, so that its numbers keep every digit. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
