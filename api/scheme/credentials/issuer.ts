import { createHash } from "node:crypto";
import { isLosslessNumber } from "lossless-json";
import type { Hex } from "viem";
import { together } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { ServiceIdentity } from "../../platform/identity/index.ts";
import type { CoreDeps } from "../../platform/server/index.ts";
import { parseScaled } from "../../platform/values/numbers.ts";
import type { AttestRequest, Credentials, IssuedCredential, IssueRequest } from "./credentials.ts";
import { listShape, StatusLists, statusListUrl } from "./status-lists.ts";
import { allocateEntries, type IssuedRow, noteIssued, revokeIssued, type StatusPlace } from "./store.ts";
import { createVeramoIssuer, type SignCredential } from "./veramo-issuer.ts";
import { openContext, statusContext, v1Context } from "./vocabulary.ts";

export type CredentialsDeps = Pick<CoreDeps, "db" | "clock"> & {
  config: Pick<CoreDeps["config"], "publicUrl">;
  identity: ServiceIdentity;
};

/** Open the issuer of the service's credentials. */
export function openCredentials(deps: CredentialsDeps): Credentials {
  return new Issuer(deps);
}

class Issuer implements Credentials {
  readonly issuer: string;
  readonly statusLists: StatusLists;
  readonly #deps: CredentialsDeps;
  readonly #sign: SignCredential;
  readonly #placeOf: (subject: string) => Promise<StatusPlace>;
  readonly #note: (row: IssuedRow) => Promise<true>;

  constructor(deps: CredentialsDeps) {
    const { db, config, identity } = deps;
    this.#deps = deps;
    this.issuer = identity.did;
    this.#sign = createVeramoIssuer(identity);
    this.statusLists = new StatusLists({ db, sign: this.#sign, publicUrl: config.publicUrl });
    this.#placeOf = together((subjects) => this.#allocate(subjects));
    this.#note = together(async (rows) => {
      await noteIssued(db, rows);
      return rows.map(() => true as const);
    });
  }

  async issue(request: IssueRequest): Promise<IssuedCredential> {
    const { type, issuedAt, statusOf } = request;
    const { list, entry } = await this.#placeOf(statusOf);
    const credentialStatus = describeStatus(statusListUrl(this.#deps.config.publicUrl, list), entry);
    const jwt = await this.#sign({ ...describe(request), credentialStatus });
    const hash: Hex = `0x${createHash("sha256").update(jwt).digest("hex")}`;
    await this.#note({ hash, type, list, entry, issuedAt });
    return { jwt, hash, statusList: list, statusIndex: entry };
  }

  async attest(request: AttestRequest): Promise<string> {
    return this.#sign(describe(request));
  }

  async revoke(hash: Hex, reason: string): Promise<void> {
    const at = wholeSeconds(this.#deps.clock.now());
    const list = await revokeIssued(this.#deps.db, { hash: hash.toLowerCase() as Hex, reason, at });
    if (list === undefined) throw new AppError("NOT_FOUND", "No credential with this hash was issued here.");
  }

  async #allocate(subjects: readonly string[]): Promise<StatusPlace[]> {
    const at = wholeSeconds(this.#deps.clock.now());
    const places = await allocateEntries(this.#deps.db, { subjects, shape: listShape, at });
    return subjects.map((subject) => places.get(subject) as StatusPlace);
  }
}

type Described = Omit<IssueRequest, "type" | "statusOf"> & { type: IssueRequest["type"] | AttestRequest["type"] };

function describe(request: Described) {
  const { type, id, subject, evidence = [], relatedResources = [], issuedAt, expiresAt } = request;
  return {
    "@context": [v1Context, statusContext, openContext],
    id,
    type: ["VerifiableCredential", type],
    issuanceDate: wholeSeconds(issuedAt).toISOString(),
    ...(expiresAt === undefined ? {} : { expirationDate: wholeSeconds(expiresAt).toISOString() }),
    credentialSubject: plain(subject) as Record<string, unknown>,
    ...(evidence.length === 0 ? {} : { evidence: evidence.map((uri) => ({ id: uri, type: ["Evidence"] })) }),
    ...(relatedResources.length === 0 ? {} : { relatedResource: relatedResources }),
  };
}

function describeStatus(url: string, entry: number) {
  return {
    id: `${url}#${entry}`,
    type: "BitstringStatusListEntry",
    statusPurpose: "revocation",
    statusListIndex: String(entry),
    statusListCredential: url,
  };
}

function wholeSeconds(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 1000) * 1000);
}

/** Convert exact numbers to plain ones, which Veramo can copy. @throws Error when a digit would be lost */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const digits = isLosslessNumber(value) ? value.value : rawDigits(value);
  if (digits !== undefined) return exactNumber(digits);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]));
}

function rawDigits(value: object): string | undefined {
  return "rawJSON" in value && typeof value.rawJSON === "string" ? value.rawJSON : undefined;
}

function exactNumber(digits: string): number {
  const number = Number(digits);
  const exact = parseScaled(digits, 20);
  if (exact === undefined || exact !== parseScaled(String(number), 20))
    throw new Error(`${digits} cannot be signed as a JSON number without loss.`);
  return number;
}
