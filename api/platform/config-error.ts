import type { RuleDetail } from "./errors.ts";

/** Thrown for a configuration that cannot be used: it names every bad variable, never a secret's value. */
export class ConfigError extends Error {
  readonly problems: RuleDetail[];

  constructor(problems: RuleDetail[]) {
    super(`The configuration is refused:\n${problems.map(({ path, message }) => `  ${path}: ${message}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}
