import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Delegation } from "@ucanto/interface";
import type { Command } from "commander";
import { readRunFile } from "../../api/platform/local-run.ts";
import { type Key, mintToken, parseDelegation } from "../../api/platform/ucan/mint.ts";
import { parseResource } from "../../api/platform/ucan/resource.ts";
import { FileClient, reach, UsageError } from "./client.ts";
import { defaultKeyPath, loadOrCreateKey, readKey } from "./keys.ts";
import { shownJson, shownText } from "./lines.ts";

export type SharedOptions = {
  url?: string;
  token?: string;
  key?: string;
  proof?: string[];
  reveal?: boolean;
  json?: boolean;
  quiet?: boolean;
};

/** Lifetime of a command's own token, in seconds; long enough for a large transfer. */
const ownTokenSeconds = 12 * 3600;

/** The server, the key and the output format of a command. */
export class Session {
  readonly url: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly keyPath: string;
  readonly dataDir: string;
  readonly #options: SharedOptions;
  #client: Promise<FileClient> | undefined;

  constructor(options: SharedOptions, url: string, dataDir: string) {
    this.url = url;
    this.dataDir = dataDir;
    this.json = options.json ?? false;
    this.quiet = options.quiet ?? false;
    this.keyPath = options.key ?? process.env.VFS_KEY ?? defaultKeyPath(dataDir);
    this.#options = options;
  }

  /** The file store, with the given token or one of the key's own. */
  client(): Promise<FileClient> {
    this.#client ??= this.#open();
    return this.#client;
  }

  key(): Promise<Key> {
    return readKey(this.keyPath);
  }

  /** DID of the server. */
  async serviceDid(): Promise<string> {
    const answer = await reach(`${this.url}/.well-known/did.json`);
    const { id } = (await answer.json()) as { id?: string };
    if (id === undefined) throw new UsageError(`${this.url} is not a Hearth server.`);
    return id;
  }

  async #open(): Promise<FileClient> {
    const token = this.#options.token ?? process.env.VFS_TOKEN;
    if (token !== undefined) return new FileClient(this.url, (await readArgument(token)).replace(/^Bearer +/i, ""));
    // The first command creates the key, and with it the namespace.
    const { key: issuer, created } = await loadOrCreateKey(this.keyPath);
    if (created) this.note(`A new key at ${this.keyPath} owns the namespace ${issuer.did()}. Keep it.`);
    const proofs = await Promise.all((this.#options.proof ?? []).map(readProof));
    const given = proofs[0] === undefined ? { abilities: ["fs/*"] } : givenBy(proofs[0]);
    const nb = this.#options.reveal ? { hidden: "hidden" in given ? given.hidden : "*" } : {};
    const bearer = await mintToken({
      issuer,
      audience: await this.serviceDid(),
      ...given,
      ...(Object.keys(nb).length === 0 ? {} : { nb }),
      expiration: Math.floor(Date.now() / 1000) + ownTokenSeconds,
      proofs,
    });
    return new FileClient(this.url, bearer);
  }

  /** Show a result: as JSON for machines, else as lines. */
  print(value: unknown, lines: string | readonly string[]): void {
    const text = this.json ? shownJson(value) : shownText(typeof lines === "string" ? lines : lines.join("\n"));
    if (text !== "") process.stdout.write(`${text}\n`);
  }

  /** Print a message for people, apart from the result. */
  note(text: string): void {
    if (!this.quiet && !this.json) process.stderr.write(`${shownText(text)}\n`);
  }
}

/** Read the first capability over files of a delegation, to use all of it. */
function givenBy(proof: Delegation) {
  const claims = proof.capabilities.map(({ can, with: resource, nb }) => ({ can, resource, nb }));
  const [first] = claims.filter(({ resource }) => parseResource(resource) !== undefined);
  const place = first === undefined ? undefined : parseResource(first.resource);
  if (first === undefined || place === undefined) throw new UsageError("The proof gives nothing over files.");
  const abilities = claims.filter(({ resource }) => resource === first.resource).map(({ can }) => can);
  const hidden = (first.nb as { hidden?: unknown } | undefined)?.hidden;
  return { ...place, abilities, ...(hidden === undefined ? {} : { hidden }) };
}

/** An argument itself, or with `@` before it the file of that name. */
export async function readArgument(text: string): Promise<string> {
  return (text.startsWith("@") ? await readFile(text.slice(1), "utf8") : text).trim();
}

/** @throws UsageError when it is not a delegation */
export async function readProof(text: string): Promise<Delegation> {
  const given = await readArgument(text);
  try {
    return await parseDelegation(given.replace(/^Bearer +/i, ""));
  } catch {
    throw new UsageError("This is not a delegation: give the output of `vfs token`, or @file with it.");
  }
}

async function openSession(options: SharedOptions): Promise<Session> {
  const dataDir = resolve(process.env.DATA_DIR || ".hearth");
  const run = await readRunFile(dataDir);
  const url = options.url ?? process.env.VFS_URL ?? run?.url ?? `http://127.0.0.1:${process.env.PORT || 3000}`;
  if (!URL.canParse(url)) throw new UsageError(`${url} is not a URL.`);
  return new Session(options, url.replace(/\/+$/, ""), dataDir);
}

/** A command's work, with its session made from the shared options. */
export function withSession<Args extends unknown[]>(work: (session: Session, ...args: Args) => Promise<void>) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const session = await openSession(command.optsWithGlobals<SharedOptions>());
    await work(session, ...(given.slice(0, -1) as Args));
  };
}
