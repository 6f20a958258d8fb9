import { readFileSync } from "node:fs";
import type { RuleDetail } from "./errors.ts";

type Environment = Record<string, string | undefined>;

/**
 * Read secrets from files: for each name, `<NAME>_FILE` is the path of a file with its value, as orchestrators mount secrets. White
 * space around the value is ignored.
 * @returns the environment with these values, which of the names came from a file, and what is wrong
 */
export function readSecretFiles(
  env: Environment,
  names: readonly string[],
): { env: Environment; fromFile: ReadonlySet<string>; problems: RuleDetail[] } {
  const read: Environment = {};
  const problems: RuleDetail[] = [];
  for (const name of names) {
    const variable = `${name}_FILE`;
    const path = env[variable];
    if (path === undefined || path === "") continue;
    const refuse = (message: string) => problems.push({ path: variable, rule: "configuration", message });
    if (env[name] !== undefined && env[name] !== "") refuse(`is set together with ${name}: set only one of them`);
    try {
      read[name] = readFileSync(path, "utf8").trim();
      if (read[name] === "") refuse("names an empty file");
    } catch (error) {
      refuse(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
    }
  }
  return { env: { ...env, ...read }, fromFile: new Set(Object.keys(read)), problems };
}
