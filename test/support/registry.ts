import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SignJWT } from "jose";
import { privateKeyToAccount } from "viem/accounts";
import { openApp } from "../../api/app.ts";
import type { Deps } from "../../api/compose.ts";
import type { App } from "../../api/platform/http/context.ts";
import { accessTokenHash } from "../../api/platform/keys/dpop.ts";
import { createLog } from "../../api/platform/log.ts";
import type { AnvilOptions } from "./anvil.ts";
import { createTestWorld, type TestWorld } from "./chain.ts";
import { testAdminKey } from "./core.ts";
import { createIssuer, type TestIssuer } from "./credentials.ts";
import { newProofKey, type ProofKey } from "./sessions.ts";

export type Answer = { status: number; headers: Headers; body: unknown };
/** Send a request; a body of bytes is sent as it is. `body` of the answer: JSON, another text, or null; the body of an event stream is not read. */
export type Caller = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/**
 * Send requests to `/v1` with a key.
 * @param app read at each request, as a test may open the server again
 * @param proofOf the proof that the key is held, for keys that need one
 */
export function callerOf(
  app: () => Pick<App, "request">,
  key: string,
  proofOf?: (method: string, path: string) => Promise<string>,
): Caller {
  return async (method, path, body, headers = {}) => {
    const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    const payload = isRaw ? (body as BodyInit | undefined) : stringify(body);
    const proof = proofOf && { dpop: await proofOf(method, path) };
    const request = {
      method,
      headers: { authorization: `Bearer ${key}`, ...proof, ...headers },
      ...(payload ? { body: payload } : {}),
    };
    const answer = await app().request(`/v1${path}`, request);
    const { status, headers: answered } = answer;
    const type = answered.get("content-type") ?? "";
    if (type.startsWith("text/event-stream")) {
      await answer.body?.cancel();
      return { status, headers: answered, body: null };
    }
    const text = await answer.text();
    return { status, headers: answered, body: type.includes("json") ? JSON.parse(text) : text || null };
  };
}

export type RegistryTest = {
  world: TestWorld;
  deps: Deps;
  /** For requests without a key, or with a response that is not JSON. */
  app: App;
  /** Calls as admin. */
  admin: Caller;
  /** Makes a key of a role, with the implementer that it names, and calls with it; a supplier's requests carry their proofs. */
  as: (role: string, limits?: Record<string, unknown>) => Promise<Caller>;
  /** Ends the API and starts it again on the same data and chain; `app` and `deps` are those of the new start. */
  restart: () => Promise<void>;
  close: () => Promise<void>;
};

/** For tests: the whole API on a real chain and a separate database. */
export async function openRegistryTest(
  env: Record<string, string> = {},
  chain: AnvilOptions = {},
  /** Takes the log's lines; absent: they are printed. */
  write?: (line: string) => void,
): Promise<RegistryTest> {
  const world = await createTestWorld(chain);
  const config = world.config({ ADMIN_API_KEY: testAdminKey, REQUESTS_PER_MINUTE: "100000", ...env });
  const open = () => openApp(config, createLog(config, write && { write }));
  let opened = await open();
  const caller = (key: string, proofKey?: ProofKey): Caller =>
    callerOf(
      () => opened.app,
      key,
      proofKey && ((method, path) => prove(proofKey, key, { htm: method, htu: `${config.publicUrl}/v1${path}` })),
    );
  const admin = caller(testAdminKey);
  return {
    world,
    get deps() {
      return opened.deps;
    },
    get app() {
      return opened.app;
    },
    admin,
    as: async (role, limits = {}) => {
      const { implementerDid: did } = limits;
      if (did !== undefined)
        await admin("POST", "/implementers", { did, account: accountOf(1_000), name: "Implementer" });
      const proofKey = role === "supplier" ? await newProofKey() : undefined;
      const bound = proofKey && { publicJwk: proofKey.publicJwk };
      const { status, body } = await admin("POST", "/keys", { role, name: role, ...bound, ...limits });
      if (status !== 201) throw new Error(`No key was made: ${JSON.stringify(body)}`);
      return caller((body as { key: string }).key, proofKey);
    },
    restart: async () => {
      await opened.close();
      opened = await open();
    },
    close: async () => {
      await opened.close();
      await world.close();
    },
  };
}

/** The proof of possession (RFC 9449) of one request. */
function prove(
  { privateKey, publicJwk }: ProofKey,
  token: string,
  request: { htm: string; htu: string },
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const proof = new SignJWT({ ...request, iat, jti: randomUUID(), ath: accessTokenHash(token) });
  return proof.setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk: publicJwk }).sign(privateKey);
}

function stringify(body: unknown): string {
  return JSON.stringify(body, (_, value) => (typeof value === "bigint" ? JSON.rawJSON(String(value)) : value));
}

/** An account nobody else uses: the one of a small private key. */
export function accountOf(seed: number): string {
  return privateKeyToAccount(`0x${seed.toString(16).padStart(64, "0")}`).address;
}

export type Example = {
  certificateId: string;
  implementerDid: string;
  activityId: string;
  vintage: number;
  verifiedReduction: number;
  period: { startDate: string; endDate: string };
  underlyingUnits: { registry: string; firstSerial: number; lastSerial: number };
  planId?: string;
  allocations?: { householdDid: string; amount: number }[];
  allocationCount?: number;
};

let nextSerial = 1;

/** A certificate's body but for its credential, with serials that no other one has. */
export function exampleCertificate(changes: Partial<Example> = {}): Example {
  const firstSerial = nextSerial;
  nextSerial += 100;
  return {
    certificateId: `CERT-${firstSerial}`,
    implementerDid: "did:ixo:implementer/1",
    activityId: "ACT-1",
    vintage: 2024,
    verifiedReduction: 100,
    period: { startDate: "2024-01-01", endDate: "2024-12-31" },
    underlyingUnits: { registry: "Gold Standard", firstSerial, lastSerial: firstSerial + 99 },
    ...changes,
  };
}

/** The certificate with the credential that its verifier issued for it; `subject` changes what the credential says. */
export async function withCredential(
  issuer: TestIssuer,
  body: Example,
  { subject = {}, ...options }: { subject?: Record<string, unknown>; issuedAt?: Date; type?: string[] } = {},
) {
  const { certificateId, implementerDid, verifiedReduction, vintage, underlyingUnits } = body;
  const proof = await issuer.signCredential({
    type: ["VerifiableCredential", "EmissionReductionCredential"],
    subject: { certificateId, implementerDid, verifiedReduction, vintage, underlyingUnits, ...subject },
    ...options,
  });
  return { ...body, verifiableCredential: { type: "EmissionReductionCredential", proof } };
}

/** Registers households by one import, and waits for its end; those that are registered already stay as they are. */
export async function registerHouseholds(call: Caller, dids: string[], region = ""): Promise<void> {
  const csv = ["did,region", ...dids.map((did) => `${did},${region}`)].join("\n");
  const begun = await call("POST", "/households/import", csv, { "content-type": "text/csv" });
  if (begun.status !== 202) throw new Error(`No import began: ${JSON.stringify(begun.body)}`);
  const { url } = begun.body as { url: string };
  for (let i = 0; i < 1_200; i++) {
    const { status } = (await call("GET", url.replace("/v1", ""))).body as { status: string };
    if (status !== "queued" && status !== "running") return;
    await sleep(25);
  }
  throw new Error("The import of households did not end.");
}

/** An implementer and a trusted verifier, as most tests need them. */
export async function registerBasics(test: RegistryTest): Promise<TestIssuer> {
  const verifier = createIssuer();
  const did = "did:ixo:implementer/1";
  await test.admin("POST", "/implementers", { did, account: accountOf(101), name: "Clean Cooking Ltd" });
  await test.admin("POST", "/issuers", { did: verifier.did, credentialTypes: ["EmissionReductionCredential"] });
  return verifier;
}

export function rulesOf(answer: Answer): string[] {
  return ((answer.body as { details?: { rule: string }[] }).details ?? []).map(({ rule }) => rule).sort();
}

/** @throws Error with the response when it has another status */
export function requireStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`${status} was expected, not ${answer.status}: ${JSON.stringify(answer.body)}`);
}
