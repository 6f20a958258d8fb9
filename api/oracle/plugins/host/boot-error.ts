/** Why the oracle runtime does not start: lines for the person who starts it, `[boot-error] …` and what to do. */
export class BootError extends Error {
  readonly lines: string[];

  constructor(lines: string[]) {
    super(lines.join("\n"));
    this.name = "BootError";
    this.lines = lines;
  }
}
