import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type Address, getAddress, type Hex, isAddress } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { UsageError, type Values } from "./usage.ts";

/** Who signs: an account whose key is here, or an address whose key is elsewhere. */
export type Signer = { address: Address; account?: PrivateKeyAccount };

/** Find the signer that the command line names; ask for the key if it names none. @throws UsageError */
export async function openSigner(values: Values): Promise<Signer> {
  const ways = (["key-file", "key-env", "as", "signer"] as const).filter((name) => values[name] !== undefined);
  if (ways.length > 1)
    throw new UsageError(`Only one of ${ways.map((name) => `--${name}`).join(", ")} can say who signs.`);
  if (values.signer !== undefined) {
    if (!isAddress(values.signer, { strict: false })) throw new UsageError(`${values.signer} is not an address.`);
    return { address: getAddress(values.signer) };
  }
  const account = privateKeyToAccount(readKey(await keyText(values)));
  return { address: account.address, account };
}

async function keyText(values: Values): Promise<string> {
  if (values["key-env"] !== undefined) {
    const text = process.env[values["key-env"]];
    if (text === undefined) throw new UsageError(`The environment has no ${values["key-env"]}.`);
    return text;
  }
  // npm changes to the project's folder; a path is meant from where it was called.
  if (values["key-file"] !== undefined)
    return await privateFile(resolve(process.env.INIT_CWD ?? ".", values["key-file"]));
  if (values.as !== undefined) {
    if (!/^[\w-]+$/.test(values.as)) throw new UsageError(`--as ${values.as} is not a name of a key.`);
    return await privateFile(join(process.env.DATA_DIR ?? ".hearth", "keys", `${values.as}.key`));
  }
  return await askUnseen("Private key of the signer (it is not shown): ");
}

async function privateFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new UsageError(`There is no key file ${path}.`);
  if ((found.mode & 0o077) !== 0) throw new UsageError(`Others may read ${path}: chmod 600 it first.`);
  return await readFile(path, "utf8");
}

function readKey(text: string): Hex {
  const key = text.trim().replace(/^(0x)?/, "0x");
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new UsageError("A private key of 64 hexadecimal digits is expected.");
  return key as Hex;
}

async function askUnseen(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError("Say whose key signs: --key-file, --key-env, --as or --signer.");
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

/** Ask before signing, unless told not to. Without a terminal the answer is no. */
export async function confirm(question: string, values: Values): Promise<boolean> {
  if (values.yes) return true;
  if (!process.stdin.isTTY) throw new UsageError("Nobody can be asked here: add --yes to sign.");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
