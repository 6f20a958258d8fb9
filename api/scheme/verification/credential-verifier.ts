import { createHash } from "node:crypto";
import type { Resolvable } from "did-resolver";
import { defineRules, type RuleDetail } from "../../platform/errors.ts";
import type { OutboundRules } from "../../platform/outbound/index.ts";
import { type CredentialDates, reviewDates } from "./credential-dates.ts";
import { objectMatchesCredential } from "./credential-object.ts";
import {
  type DecodedToken,
  decodeToken,
  type JsonObject,
  type PresentedCredential,
  presentCredential,
  TokenError,
  twinOf,
} from "./credential-token.ts";
import { type CredentialView, viewCredential } from "./credential-view.ts";
import { createStatusChecker, type ReadOwnList, type StatusChecker } from "./status-list.ts";
import { createSignatureVerifier, SignatureError, type VerifySignature } from "./veramo.ts";

/** The contents of a credential. Numbers in `subject` are lossless-json's LosslessNumber. */
export type Credential = {
  /** The compact token, from any presented form. */
  jwt: string;
  /** SHA-256 of the compact token. */
  credentialHash: `0x${string}`;
  /**
   * SHA-256 of the token with the other valid signature, which anyone can compute. Check both hashes for earlier use.
   */
  twinHash: `0x${string}` | undefined;
  issuerDid: string;
  types: string[];
  subject: JsonObject;
  /** `iat`, else the start of validity, else the time of verification. */
  issuedAt: Date;
  validFrom: Date | null;
  validUntil: Date | null;
};

/**
 * `broken` has every broken rule of credential-type, token-size, proof-verifies, not-expired and not-revoked. `stated`
 * has the readable contents of a refused credential, so that callers can report further broken rules. Never act on it.
 */
export type CredentialVerdict =
  | { verified: true; credential: Credential }
  | { verified: false; broken: RuleDetail[]; stated?: Credential };

export type CredentialRequirements = {
  /** The credential type that must be among the signed types. */
  type: string;
  /** Real time; chain time may differ. */
  now: Date;
};

/** Verifies all credentials. Neither callers nor tokens can switch a check off. */
export type CredentialVerifier = {
  /** Verify one credential in any accepted form (see presentCredential). Never throws because of the input. */
  verifyCredential(input: unknown, requirements: CredentialRequirements): Promise<CredentialVerdict>;
};

export type CredentialVerifierOptions = {
  resolver: Resolvable;
  outbound: OutboundRules;
  /** Undefined: every status list is fetched. */
  readOwnList?: ReadOwnList | undefined;
};
type Opened = { presented: PresentedCredential; token: DecodedToken; view: CredentialView };
type Reviewed = { opened: Opened; stated: Credential; broken: RuleDetail[] };

const path = "verifiableCredential";
const broken = defineRules({
  "credential-not-verified": ["proof-verifies", "{problem}"],
  "credential-too-large": ["token-size", "{problem}"],
  "credential-of-other-type": ["credential-type", "The credential is not a {type}"],
});

export function createCredentialVerifier({
  resolver,
  outbound,
  readOwnList,
}: CredentialVerifierOptions): CredentialVerifier {
  const verifySignature = createSignatureVerifier(resolver);

  /** Check everything but the status, so that it can check status lists too. */
  async function review(input: unknown, now: Date): Promise<Reviewed> {
    const opened = openCredential(input);
    const { dates, problems } = reviewDates(opened.token.payload, now);
    const unproven = await prove(opened, verifySignature);
    return { opened, stated: describe(opened, dates, now), broken: [...unproven, ...problems] };
  }

  const checkStatus = createStatusChecker(
    async (input, now) => {
      const { opened, stated, broken } = await review(input, now);
      const [first] = broken;
      if (first) throw new Error(first.message);
      // A list with a status could refer back to itself in a loop.
      if (opened.view.statuses.length > 0) throw new Error("it has a status itself");
      return { ...stated, id: opened.view.id };
    },
    outbound,
    readOwnList,
  );

  return {
    async verifyCredential(input, { type, now }) {
      try {
        const { opened, stated, broken } = await review(input, now);
        broken.push(...wrongTypes(opened, type));
        // Fetch no address from a token whose signature is not verified.
        if (!broken.some(({ rule }) => rule === "proof-verifies")) {
          broken.push(...(await reviewStatuses(opened.view, checkStatus, now)));
        }
        return broken.length === 0 ? { verified: true, credential: stated } : { verified: false, broken, stated };
      } catch (error) {
        if (!(error instanceof TokenError)) throw error;
        return { verified: false, broken: [unreadable(error)] };
      }
    },
  };
}

function openCredential(input: unknown): Opened {
  const presented = presentCredential(input);
  const token = decodeToken(presented.jwt);
  return { presented, token, view: viewCredential(token.payload) };
}

async function prove({ presented, token, view }: Opened, verify: VerifySignature): Promise<RuleDetail[]> {
  try {
    const { issuerDid, keyId, credential } = await verify(presented.jwt, {
      hasIss: token.payload.iss !== undefined,
    });
    const problems = [];
    if (issuerDid !== view.issuerDid) problems.push("Another DID than the issuer signed");
    if (token.payload.aud !== undefined) problems.push("The token is made out to an audience");
    const { kid } = token.header;
    if (typeof kid === "string" && kid.startsWith("did:") && kid !== keyId) {
      problems.push("Another key than the header's kid signed");
    }
    if (presented.object && !objectMatchesCredential(presented.object, credential)) {
      problems.push("The credential's members differ from those that its jwt signs");
    }
    return problems.map(unproven);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return [unproven(error.message)];
  }
}

function wrongTypes({ presented, view }: Opened, wanted: string): RuleDetail[] {
  const signed = view.types.includes(wanted);
  const wrapped = presented.wrapperTypes?.includes(wanted) ?? true;
  return signed && wrapped ? [] : [broken("credential-of-other-type", path, { type: wanted })];
}

async function reviewStatuses(view: CredentialView, check: StatusChecker, now: Date): Promise<RuleDetail[]> {
  const problems = await Promise.all(view.statuses.map((entry) => check(entry, view.issuerDid, now)));
  return problems.flatMap((problem) => problem ?? []);
}

function describe({ token, view }: Opened, dates: CredentialDates, now: Date): Credential {
  const twin = twinOf(token);
  return {
    jwt: token.jwt,
    credentialHash: sha256(token.jwt),
    twinHash: twin === undefined ? undefined : sha256(twin),
    issuerDid: view.issuerDid,
    types: view.types,
    subject: view.subject,
    issuedAt: dates.issuedAt ?? now,
    validFrom: dates.validFrom,
    validUntil: dates.validUntil,
  };
}

function sha256(text: string): `0x${string}` {
  return `0x${createHash("sha256").update(text).digest("hex")}`;
}

function unreadable({ rule, message: problem }: TokenError): RuleDetail {
  return rule === "token-size" ? broken("credential-too-large", path, { problem }) : unproven(problem);
}

function unproven(problem: string): RuleDetail {
  return broken("credential-not-verified", path, { problem });
}
