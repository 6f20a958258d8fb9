import { encodeFunctionData, type Hex, keccak256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { abis } from "../../api/platform/chain/contracts.ts";
import type { TestScheme } from "./scheme.ts";

type Contracts = TestScheme["world"]["contracts"];
type LotsSource = {
  contracts: Contracts;
  /** Sends a transaction from an account whose key nobody needs, and returns its logs' data. */
  sendAs: (from: Hex, to: Hex, data: Hex) => Promise<unknown>;
  read: (functionName: "certificateIndex", args: readonly [Hex]) => Promise<number>;
};

const VERIFIER = "did:example:verifier-of-lots";
/** Micro-CARBON that a certificate of these verifies: more than any test converts. */
const VERIFIED = 10n ** 18n;
const contractOf = {
  grantRole: "participants",
  trustIssuer: "participants",
  registerCertificate: "certificates",
  releaseLot: "certificates",
} as const;
const text = (value: string) => keccak256(toHex(value));

/** `REGISTRAR` of contracts/shared/Roles.sol. */
const REGISTRAR = 2n;
/** A registrar besides the service's, whose transactions would get in the way of the service's. */
const registrar: Hex = `0x${"4e".repeat(20)}`;

/** Certificates of any vintage whose CARBON has left the voucher ledger, one for each vintage. */
export class ReleasedLots {
  readonly #source: LotsSource;
  readonly #certificates = new Map<number, Promise<number>>();
  #trusted: Promise<void> | undefined;

  constructor(source: LotsSource) {
    this.#source = source;
  }

  /** Add to the lot of a vintage's certificate. `implementer`: index on chain. */
  async release(amount: bigint, vintage = 2025, implementer = 1): Promise<number> {
    const certificate = await this.register(vintage, implementer);
    await this.#send(this.#source.contracts.addresses.vouchers, "releaseLot", [certificate, amount]);
    return certificate;
  }

  /** Register a vintage's certificate, unless it is registered. */
  register(vintage: number, implementer = 1): Promise<number> {
    const known = this.#certificates.get(vintage);
    if (known !== undefined) return known;
    const registered = this.#find(vintage).then((found) => found || this.#register(vintage, implementer));
    this.#certificates.set(vintage, registered);
    return registered;
  }

  /** 0 for a certificate that is not registered. */
  #find(vintage: number): Promise<number> {
    return this.#source.read("certificateIndex", [text(`LOT-${vintage}`)]);
  }

  async #trust(): Promise<void> {
    const deployer = privateKeyToAccount(this.#source.contracts.keys.deployer).address;
    await this.#send(deployer, "grantRole", [REGISTRAR, registrar, 0]);
    await this.#send(registrar, "trustIssuer", [VERIFIER, ["EmissionReductionCredential"], 0n, 0n]);
  }

  async #register(vintage: number, implementer: number): Promise<number> {
    this.#trusted ??= this.#trust();
    await this.#trusted;
    const certificateId = `LOT-${vintage}`;
    const registration = {
      certificateId,
      activityId: "ACT-LOTS",
      implementer,
      plan: 0,
      vintage,
      periodStart: 1,
      periodEnd: 2,
      verifiedReduction: VERIFIED,
      registry: "Registry of lots",
      firstSerial: BigInt(vintage) * 1_000_000_000n,
      lastSerial: BigInt(vintage) * 1_000_000_000n + 999_999_999n,
      verifier: text(VERIFIER),
      credentialIssuedAt: 1n,
      credentialHash: text(certificateId),
      allocationCount: 0,
      predecessor: 0,
    };
    await this.#send(registrar, "registerCertificate", [registration]);
    return this.#find(vintage);
  }

  async #send(from: Hex, functionName: keyof typeof contractOf, args: unknown[]): Promise<void> {
    const contract = contractOf[functionName];
    const data = encodeFunctionData({ abi: abis[contract], functionName, args } as never);
    await this.#source.sendAs(from, this.#source.contracts.addresses[contract], data);
  }
}
