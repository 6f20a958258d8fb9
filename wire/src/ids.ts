/**
 * Public ids: a prefix, the on-chain id in Crockford base32 (most significant symbol first, padded with zeros) and a
 * check symbol (the id modulo 37). Anyone can compute them from an event, and typing errors are noticed.
 */

const symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const checkSymbols = `${symbols}*~$=U`;

const kinds = {
  voucher: { prefix: "VCHR", bits: 64n, length: 13 },
  redemption: { prefix: "REDM", bits: 96n, length: 20 },
  claim: { prefix: "CLM", bits: 96n, length: 20 },
  payment: { prefix: "PAY", bits: 96n, length: 20 },
  kpt: { prefix: "KPT", bits: 96n, length: 20 },
  conversion: { prefix: "CONV", bits: 32n, length: 7 },
  itmoBlock: { prefix: "ITMO", bits: 96n, length: 20 },
  swap: { prefix: "SWAP", bits: 64n, length: 13 },
} as const;

export type IdKind = keyof typeof kinds;

/** `malformed`: not an id of this kind. `checksum`: the right form, but a wrong check symbol. */
export type DecodedId = { ok: true; id: bigint } | { ok: false; reason: "malformed" | "checksum" };

/**
 * Encode an on-chain id as its public id. @throws RangeError when it has more bits than the kind allows
 *
 * @example
 * ```ts
 * import { encodeId } from "@hearth/wire";
 *
 * encodeId("conversion", 7n); // "CONV-00000077"
 * ```
 */
export function encodeId(kind: IdKind, id: bigint): string {
  const { prefix, bits, length } = kinds[kind];
  if (id < 0n || id >> bits !== 0n) throw new RangeError(`${id} is not a ${bits}-bit ${kind} id`);
  let body = "";
  for (let rest = id; body.length < length; rest >>= 5n) body = symbols.charAt(Number(rest & 31n)) + body;
  return `${prefix}-${body}${checkSymbols.charAt(Number(id % 37n))}`;
}

/**
 * Decode a public id: case is ignored, O is 0, I and L are 1, hyphens after the prefix are ignored.
 *
 * @example
 * ```ts
 * import { decodeId } from "@hearth/wire";
 *
 * const decoded = decodeId("conversion", "CONV-00000077"); // { ok: true, id: 7n }
 * ```
 */
export function decodeId(kind: IdKind, text: string): DecodedId {
  const { prefix, bits, length } = kinds[kind];
  // ASCII only: toUpperCase would convert some other letters to ASCII (ı, ſ).
  if (!/^[\x21-\x7e]{1,64}$/.test(text)) return { ok: false, reason: "malformed" };
  const upper = text.toUpperCase();
  if (!upper.startsWith(`${prefix}-`)) return { ok: false, reason: "malformed" };
  const plain = upper
    .slice(prefix.length + 1)
    .replaceAll("-", "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
  if (plain.length !== length + 1) return { ok: false, reason: "malformed" };
  let id = 0n;
  for (const symbol of plain.slice(0, length)) {
    const value = symbols.indexOf(symbol);
    if (value < 0) return { ok: false, reason: "malformed" };
    id = (id << 5n) | BigInt(value);
  }
  const check = checkSymbols.indexOf(plain.charAt(length));
  if (check < 0 || id >> bits !== 0n) return { ok: false, reason: "malformed" };
  return BigInt(check) === id % 37n ? { ok: true, id } : { ok: false, reason: "checksum" };
}

/**
 * Encode the on-chain id of a voucher as its public id.
 *
 * @example
 * ```ts
 * import { encodeVoucherId } from "@hearth/wire";
 *
 * encodeVoucherId(4294967296n); // "VCHR-00000040000007"
 * ```
 */
export const encodeVoucherId = (id: bigint): string => encodeId("voucher", id);
/**
 * Encode the on-chain id of a redemption as its public id.
 *
 * @example
 * ```ts
 * import { encodeRedemptionId } from "@hearth/wire";
 *
 * encodeRedemptionId(18446744073709551617n); // "REDM-0000000G000000000001D"
 * ```
 */
export const encodeRedemptionId = (id: bigint): string => encodeId("redemption", id);
/**
 * Encode the on-chain id of a delivery claim as its public id. A claim has the on-chain id of its redemption.
 *
 * @example
 * ```ts
 * import { encodeClaimId } from "@hearth/wire";
 *
 * encodeClaimId(18446744073709551617n); // "CLM-0000000G000000000001D"
 * ```
 */
export const encodeClaimId = (id: bigint): string => encodeId("claim", id);
/**
 * Encode the on-chain id of a payment as its public id. A payment has the on-chain id of its claim.
 *
 * @example
 * ```ts
 * import { encodePaymentId } from "@hearth/wire";
 *
 * encodePaymentId(18446744073709551617n); // "PAY-0000000G000000000001D"
 * ```
 */
export const encodePaymentId = (id: bigint): string => encodeId("payment", id);
/**
 * Encode the on-chain id of a KPT claim as its public id.
 *
 * @example
 * ```ts
 * import { encodeKptClaimId } from "@hearth/wire";
 *
 * encodeKptClaimId(18446744073709551617n); // "KPT-0000000G000000000001D"
 * ```
 */
export const encodeKptClaimId = (id: bigint): string => encodeId("kpt", id);

/**
 * Encode the on-chain id of a conversion as its public id. A conversion's on-chain id is its number, 32 bits.
 *
 * @example
 * ```ts
 * import { encodeConversionId } from "@hearth/wire";
 *
 * encodeConversionId(7n); // "CONV-00000077"
 * ```
 */
export const encodeConversionId = (id: bigint): string => encodeId("conversion", id);
/**
 * Encode the on-chain id of an ITMO block as its public id.
 *
 * @example
 * ```ts
 * import { encodeItmoBlockId } from "@hearth/wire";
 *
 * encodeItmoBlockId(18446744073709551617n); // "ITMO-0000000G000000000001D"
 * ```
 */
export const encodeItmoBlockId = (id: bigint): string => encodeId("itmoBlock", id);
/**
 * Encode the on-chain id of a swap as its public id. A swap has no number on chain: its id comes from
 * the position of its event, see swapIdOf.
 *
 * @example
 * ```ts
 * import { encodeSwapId } from "@hearth/wire";
 *
 * encodeSwapId(2013265923n); // "SWAP-0000001W00003K"
 * ```
 */
export const encodeSwapId = (id: bigint): string => encodeId("swap", id);

/**
 * Decode the public id of a voucher; the result says whether it is malformed or mistyped.
 *
 * @example
 * ```ts
 * import { decodeVoucherId } from "@hearth/wire";
 *
 * decodeVoucherId("VCHR-00000040000007"); // { ok: true, id: 4294967296n }
 * ```
 */
export const decodeVoucherId = (text: string): DecodedId => decodeId("voucher", text);
/**
 * Decode the public id of a redemption; the result says whether it is malformed or mistyped.
 *
 * @example
 * ```ts
 * import { decodeRedemptionId } from "@hearth/wire";
 *
 * decodeRedemptionId("REDM-0000000G000000000001D"); // { ok: true, id: 18446744073709551617n }
 * ```
 */
export const decodeRedemptionId = (text: string): DecodedId => decodeId("redemption", text);
/**
 * Decode the public id of a delivery claim; the result says whether it is malformed or mistyped.
 *
 * @example
 * ```ts
 * import { decodeClaimId } from "@hearth/wire";
 *
 * decodeClaimId("CLM-0000000G000000000001D"); // { ok: true, id: 18446744073709551617n }
 * ```
 */
export const decodeClaimId = (text: string): DecodedId => decodeId("claim", text);
/**
 * Decode the public id of a payment; the result says whether it is malformed or mistyped.
 *
 * @example
 * ```ts
 * import { decodePaymentId } from "@hearth/wire";
 *
 * decodePaymentId("PAY-0000000G000000000001D"); // { ok: true, id: 18446744073709551617n }
 * ```
 */
export const decodePaymentId = (text: string): DecodedId => decodeId("payment", text);
/**
 * Decode the public id of a KPT claim; the result says whether it is malformed or mistyped.
 *
 * @example
 * ```ts
 * import { decodeKptClaimId } from "@hearth/wire";
 *
 * decodeKptClaimId("KPT-0000000G000000000001D"); // { ok: true, id: 18446744073709551617n }
 * ```
 */
export const decodeKptClaimId = (text: string): DecodedId => decodeId("kpt", text);
/**
 * Decode the public id of a conversion; the result says whether it is malformed or mistyped.
 *
 * @example
 * ```ts
 * import { decodeConversionId } from "@hearth/wire";
 *
 * decodeConversionId("CONV-00000077"); // { ok: true, id: 7n }
 * ```
 */
export const decodeConversionId = (text: string): DecodedId => decodeId("conversion", text);
/**
 * Decode the public id of an ITMO block; the result says whether it is malformed or mistyped.
 *
 * @example
 * ```ts
 * import { decodeItmoBlockId } from "@hearth/wire";
 *
 * decodeItmoBlockId("ITMO-0000000G000000000001D"); // { ok: true, id: 18446744073709551617n }
 * ```
 */
export const decodeItmoBlockId = (text: string): DecodedId => decodeId("itmoBlock", text);
/**
 * Decode the public id of a swap; the result says whether it is malformed or mistyped.
 *
 * @example
 * ```ts
 * import { decodeSwapId } from "@hearth/wire";
 *
 * decodeSwapId("SWAP-0000001W00003K"); // { ok: true, id: 2013265923n }
 * ```
 */
export const decodeSwapId = (text: string): DecodedId => decodeId("swap", text);

/**
 * A voucher's on-chain id: batch (32 bits), position in the batch (32 bits).
 *
 * @example
 * ```ts
 * import { encodeVoucherId, voucherIdOf } from "@hearth/wire";
 *
 * encodeVoucherId(voucherIdOf(1, 0)); // "VCHR-00000040000007"
 * ```
 */
export function voucherIdOf(batch: number, position: number): bigint {
  return (BigInt(batch) << 32n) | BigInt(position);
}

/**
 * Split a voucher's on-chain id into its batch and its position in it.
 *
 * @example
 * ```ts
 * import { batchOfVoucher } from "@hearth/wire";
 *
 * batchOfVoucher(4294967296n); // { batch: 1, position: 0 }
 * ```
 */
export function batchOfVoucher(voucher: bigint): { batch: number; position: number } {
  return { batch: Number(voucher >> 32n), position: Number(voucher & 0xffffffffn) };
}

/**
 * A redemption's on-chain id: voucher (64 bits), number among the voucher's redemptions, from 1 (32 bits).
 *
 * @example
 * ```ts
 * import { encodeRedemptionId, redemptionIdOf, voucherIdOf } from "@hearth/wire";
 *
 * encodeRedemptionId(redemptionIdOf(voucherIdOf(1, 0), 1)); // "REDM-0000000G000000000001D"
 * ```
 */
export function redemptionIdOf(voucher: bigint, number: number): bigint {
  return (voucher << 32n) | BigInt(number);
}

/**
 * Return the on-chain id of a redemption's voucher.
 *
 * @example
 * ```ts
 * import { voucherOfRedemption } from "@hearth/wire";
 *
 * voucherOfRedemption(18446744073709551617n); // 4294967296n
 * ```
 */
export function voucherOfRedemption(redemption: bigint): bigint {
  return redemption >> 32n;
}

/**
 * A swap's id: block of its event (40 bits), the event's log index (24 bits).
 *
 * @example
 * ```ts
 * import { encodeSwapId, swapIdOf } from "@hearth/wire";
 *
 * encodeSwapId(swapIdOf(120n, 3)); // "SWAP-0000001W00003K"
 * ```
 */
export function swapIdOf(blockNumber: bigint, logIndex: number): bigint {
  return (blockNumber << 24n) | BigInt(logIndex);
}

/**
 * Split a swap's id into the block and the log index of its event.
 *
 * @example
 * ```ts
 * import { partsOfSwap } from "@hearth/wire";
 *
 * partsOfSwap(2013265923n); // { blockNumber: 120n, logIndex: 3 }
 * ```
 */
export function partsOfSwap(swap: bigint): { blockNumber: bigint; logIndex: number } {
  return { blockNumber: swap >> 24n, logIndex: Number(swap & 0xffffffn) };
}

/** Groups of a campaign, in the order of their numbers on chain. */
export const campaignGroups = ["reference", "intervention"] as const;
export type CampaignGroup = (typeof campaignGroups)[number];

/** The parts of a KPT claim's id. */
export type KptClaimParts = {
  /** The campaign's number on chain, 32 bits. */
  campaign: number;
  group: CampaignGroup;
  /** Position in the group's draw order, from 0, 31 bits. */
  position: number;
  /** Number of the household's claim in the campaign, from 1, 32 bits. */
  number: number;
};

/**
 * A KPT claim's on-chain id: campaign (32 bits), group (1 bit, 1 for intervention), position (31), number (32). @throws
 * RangeError
 *
 * @example
 * ```ts
 * import { encodeKptClaimId, kptClaimIdOf } from "@hearth/wire";
 *
 * const claim = kptClaimIdOf({ campaign: 1, group: "reference", position: 0, number: 1 });
 * encodeKptClaimId(claim); // "KPT-0000000G000000000001D"
 * ```
 */
export function kptClaimIdOf({ campaign, group, position, number }: KptClaimParts): bigint {
  const fits = (value: number, bits: number, least: number) =>
    Number.isSafeInteger(value) && value >= least && value < 2 ** bits;
  if (!fits(campaign, 32, 1) || !fits(position, 31, 0) || !fits(number, 32, 1)) {
    throw new RangeError(`No KPT claim has campaign ${campaign}, position ${position}, number ${number}`);
  }
  const place = (BigInt(campaignGroups.indexOf(group)) << 31n) | BigInt(position);
  return (BigInt(campaign) << 64n) | (place << 32n) | BigInt(number);
}

/**
 * Split a KPT claim's id into its parts.
 *
 * @example
 * ```ts
 * import { partsOfKptClaim } from "@hearth/wire";
 *
 * const { group, position } = partsOfKptClaim(18446744073709551617n); // "reference", 0
 * ```
 */
export function partsOfKptClaim(claim: bigint): KptClaimParts {
  return {
    campaign: Number(claim >> 64n),
    group: (claim >> 63n) & 1n ? "intervention" : "reference",
    position: Number((claim >> 32n) & 0x7fffffffn),
    number: Number(claim & 0xffffffffn),
  };
}
