import { readFileSync } from "node:fs";
import { join } from "node:path";

type Environment = Record<string, string | undefined>;
/** Secrets of the indexer that a file may hold. The API knows them, too. */
export const indexerSecrets = ["INDEXER_DATABASE_URL", "INDEXER_READER_DATABASE_URL", "INDEXER_TOKEN"] as const;

/** A variable that cannot be read, and why. */
type Problem = { path: string; rule: "configuration"; message: string };

/**
 * Read secrets from files, as orchestrators mount them. `<NAME>_FILE` is the path of a file with the value of a secret. `SECRETS_DIR`
 * is a folder with a file `NAME` for each secret; variables and `<NAME>_FILE` take precedence, and a file that does not exist is not
 * an error. White space around a value is ignored.
 * @param names of the secrets
 * @returns the environment with these values, which of the names came from a file, and what is wrong
 */
export function readSecretFiles(
  env: Environment,
  names: readonly string[],
): { env: Environment; fromFile: ReadonlySet<string>; problems: Problem[] } {
  const read: Environment = {};
  const problems: Problem[] = [];
  for (const name of names) {
    const variable = `${name}_FILE`;
    const refuse = (message: string) => problems.push({ path: variable, rule: "configuration", message });
    const isSet = Boolean(env[name]);
    if (isSet && env[variable]) refuse(`is set together with ${name}: set only one of them`);
    const place = env[variable] || (isSet || !env.SECRETS_DIR ? undefined : join(env.SECRETS_DIR, name));
    if (place === undefined) continue;
    try {
      const value = readFileSync(place, "utf8").trim();
      if (value === "") refuse(`names an empty file (${place})`);
      else read[name] = value;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
      if (code !== "ENOENT" || env[variable]) refuse(`names a file that cannot be read (${place}: ${code})`);
    }
  }
  return { env: { ...env, ...read }, fromFile: new Set(Object.keys(read)), problems };
}
