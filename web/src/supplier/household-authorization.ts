import { formatScaled } from "../../../wire/src/exact.ts";
import { decodeVoucherId } from "../../../wire/src/ids.ts";
import { redemptionAuthorization, type SigningContract } from "../../../wire/src/typed-data.ts";

/** A household's signed consent to one redemption. It can be used once, even if it is sent several times. */
export type HouseholdAuthorization = { signature: `0x${string}`; nonce: string; deadline: number };

/** A redemption in the contract's terms. `amount` is micro-CARBON, `deadline` unix seconds. */
export type RedemptionTerms = {
  voucherId: string;
  /** Numeric ids on chain, from the public records of supplier and product. */
  supplier: number;
  product: number;
  amount: bigint;
  nonce: bigint;
  deadline: number;
};

/**
 * Build the typed data of a household's consent without a request, since field teams work without a network.
 *
 * @throws RangeError when the id is not a voucher's
 */
export function authorizationToSign({ voucherId, ...terms }: RedemptionTerms, vouchers: SigningContract) {
  const decoded = decodeVoucherId(voucherId);
  if (!decoded.ok) throw new RangeError(`${voucherId} is not a voucher id.`);
  return redemptionAuthorization(vouchers, { voucher: decoded.id, ...terms });
}

/** Create an unused nonce of 128 random bits. */
export function createNonce(): bigint {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return bytes.reduce((nonce, byte) => (nonce << 8n) | BigInt(byte), 0n);
}

/** Read the JSON that a household's device shows: signature, nonce and deadline. Undefined when it is invalid. */
export function readHouseholdAuthorization(text: string): HouseholdAuthorization | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { signature, nonce, deadline } = value as Record<string, unknown>;
  if (typeof signature !== "string" || !/^0x([0-9a-fA-F]{2}){1,4096}$/.test(signature)) return undefined;
  if (typeof nonce !== "string" || !/^\d{1,78}$/.test(nonce)) return undefined;
  if (typeof deadline !== "number" || !Number.isSafeInteger(deadline) || deadline < 0) return undefined;
  return { signature: signature as `0x${string}`, nonce, deadline };
}

/** A household's card, by its code, and its PIN. The service checks both. */
export type CardConsent = { type: "pin"; card: string; pin: string };

/** A one-time code of the household's paper, as the signature that its key made. The service adds the proof. */
export type CodeConsent = { type: "code"; signature: `0x${string}`; nonce: string; deadline: number };

export type RedemptionBody = {
  voucherId: string;
  supplierDid: string;
  productId: string;
  amount: bigint;
  householdAuthorization?: HouseholdAuthorization | undefined;
  consent?: CardConsent | CodeConsent | undefined;
  /** When the order was accepted without a network, in ISO 8601. */
  acceptedOffline?: string | undefined;
};

/** Write the body of `POST /v1/vouchers/redeem`. The amount keeps its digits, and every repeat has the same bytes. */
export function redemptionBody({ amount, ...body }: RedemptionBody): string {
  const text = JSON.stringify(body);
  return `${text.slice(0, -1)},"amount":${formatScaled(amount, 6)}}`;
}

/** The body without its PIN, which is not kept on the device once an answer came. */
export function withoutPin(body: string): string {
  return body.replace(/,"pin":"\d*"/, "");
}
