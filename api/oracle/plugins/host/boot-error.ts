/** The oracle cannot start. `lines` tell the operator why (`[boot-error] …`) and what to do. */
export class BootError extends Error {
  readonly lines: string[];

  constructor(lines: string[]) {
    super(lines.join("\n"));
    this.name = "BootError";
    this.lines = lines;
  }
}
