import { type Command, InvalidArgumentError, Option } from "commander";
import { abilities } from "../../api/platform/ucan/grant.ts";
import { formatDelegation, mintDelegation, type parseDelegation } from "../../api/platform/ucan/mint.ts";
import { parseResource } from "../../api/platform/ucan/resource.ts";
import { UsageError } from "./client.ts";
import { loadOrCreateKey } from "./keys.ts";
import { readArgument, readProof, withSession } from "./session.ts";

type TokenOptions = {
  ability?: string[];
  path?: string;
  cids?: string;
  hidden?: string[];
  ttl: string;
  audience?: string;
  nonce?: string;
  notBefore?: string;
  proof?: string[];
};

const collect = (value: string, before: string[] = []) => [...before, value];

/** A token with an unknown ability would be useless. */
function collectAbility(value: string, before: string[] = []): string[] {
  const known = [...abilities, "fs/*", "*"];
  if (!known.includes(value)) throw new InvalidArgumentError(`There are ${known.join(", ")}.`);
  return collect(value, before);
}

/** Keys, tokens, delegations, revocations. */
export function identityCommands(program: Command): void {
  program
    .command("key")
    .description("Make the key that owns your namespace, or show its DID if it is there")
    .action(
      withSession(async (session) => {
        const { key, created } = await loadOrCreateKey(session.keyPath);
        session.print({ did: key.did(), path: session.keyPath, created }, key.did());
        session.note(`${created ? "Made" : "Kept"} in ${session.keyPath}. Who has this file has your namespace.`);
      }),
    );
  program
    .command("token")
    .description("Mint a bearer token, or with --audience a delegation to another DID; prints it")
    .option(
      "--ability <ability>",
      "fs/list, fs/read, fs/write, fs/delete, fs/*; repeat for more (fs/*)",
      collectAbility,
    )
    .option("--path <path>", "only this file or folder (/)")
    .option("--cids <cids>", "only these CIDs, with commas between")
    .option("--hidden <what>", "reveal hidden files: *, a path, or a CID; repeat for more", collect)
    .option("--ttl <time>", "how long it lives: 90, 30m, 2h, 7d; a bearer 24h at most", "1h")
    .option("--not-before <time>", "valid only from now plus this time")
    .option("--audience <did>", "whom it is for; this server's DID when absent, which makes it a bearer")
    .option("--nonce <text>", "the bearer serves once")
    .action(withSession((session, options: TokenOptions) => printToken(session, options)));
  program
    .command("revoke <token>")
    .description("Revoke a token or delegation (or @file of it), and all that rests on it")
    .addOption(new Option("--cid <cid>", "a link of its chain instead of the token itself"))
    .action(
      withSession(async (session, text: string, { cid }: { cid?: string }) => {
        const token = (await readArgument(text)).replace(/^Bearer +/i, "");
        const named = cid ?? (await readProof(token)).cid.toString();
        const client = await session.client();
        const revoked = await client.json("POST", "/revocations", { json: { cid: named, token } });
        session.print(revoked, `Revoked ${named}`);
      }),
    );
}

type Sessioned = Parameters<Parameters<typeof withSession>[0]>[0];

async function printToken(session: Sessioned, options: TokenOptions): Promise<void> {
  const issuer = await session.key();
  const proofs = await Promise.all((options.proof ?? []).map(readProof));
  const now = Math.floor(Date.now() / 1000);
  const place = proofs[0] === undefined ? { owner: issuer.did() as string, path: "/" } : placeOf(proofs[0]);
  const nb = {
    ...(options.cids === undefined ? {} : { cids: options.cids.split(",").filter((cid) => cid !== "") }),
    ...(options.hidden === undefined
      ? {}
      : { hidden: options.hidden.length === 1 ? options.hidden[0] : options.hidden }),
  };
  const delegation = await mintDelegation({
    issuer,
    audience: options.audience ?? (await session.serviceDid()),
    owner: place.owner,
    path: options.path ?? place.path,
    abilities: options.ability ?? proofs[0]?.capabilities.map(({ can }) => can) ?? ["fs/*"],
    ...(Object.keys(nb).length === 0 ? {} : { nb }),
    expiration: now + seconds(options.ttl),
    ...(options.notBefore === undefined ? {} : { notBefore: now + seconds(options.notBefore) }),
    ...(options.nonce === undefined ? {} : { nonce: options.nonce }),
    proofs,
  });
  const token = await formatDelegation(delegation);
  const cid = delegation.cid.toString();
  session.print({ token, cid, issuer: issuer.did(), owner: place.owner, expiresAt: delegation.expiration }, token);
}

function placeOf(proof: Awaited<ReturnType<typeof parseDelegation>>): { owner: string; path: string } {
  const place = proof.capabilities.map(({ with: resource }) => parseResource(resource)).find((each) => each);
  if (place === undefined) throw new UsageError("The proof gives nothing over files.");
  return place;
}

const factors: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

function seconds(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  if (count === undefined) throw new UsageError(`${text} is not a time such as 90, 30m, 2h or 7d.`);
  return Number(count) * (factors[unit ?? ""] ?? 1);
}
