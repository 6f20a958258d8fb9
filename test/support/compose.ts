import { readFileSync } from "node:fs";
import { parse } from "yaml";

export type ComposeService = {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  env_file?: string;
  read_only?: boolean;
  cap_drop?: string[];
  volumes?: string[];
  ports?: string[];
  depends_on?: Record<string, object>;
};
export type Compose = { services: Record<string, ComposeService>; volumes: Record<string, object> };

/** Read compose.yaml, with its anchors resolved. */
export const readCompose = (): Compose => parse(readFileSync("compose.yaml", "utf8"), { merge: true }) as Compose;

/** The variables of a service: those of its file, and its own. */
export function variablesOf({ env_file, environment = {} }: ComposeService): Record<string, string> {
  const lines = env_file === undefined ? [] : readFileSync(env_file, "utf8").split("\n");
  const ofFile = lines
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1)] as const;
    });
  return { ...Object.fromEntries(ofFile), ...environment };
}

/** Folders and files that the last stage of the Dockerfile copies from the repository. */
export function copiedPaths(): string[] {
  const last =
    readFileSync("Dockerfile", "utf8")
      .split(/^FROM /m)
      .at(-1) ?? "";
  return [...last.matchAll(/^COPY (?!--from)(\S+) /gm)].map(([, path = ""]) => path);
}
