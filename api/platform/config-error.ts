import type { RuleDetail } from "./errors.ts";

/** Thrown for an invalid configuration. It names every invalid variable, but never a secret's value. */
export class ConfigError extends Error {
  readonly problems: RuleDetail[];

  constructor(problems: RuleDetail[]) {
    super(`The configuration is refused:\n${problems.map(({ path, message }) => `  ${path}: ${message}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}
