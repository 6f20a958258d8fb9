/** Ids of ITMO blocks: the parts of the number on chain, and the text form of the registries. */

/**
 * A block's on-chain id: conversion (32 bits), first serial (64 bits).
 *
 * @example
 * ```ts
 * import { encodeItmoBlockId, itmoBlockIdOf } from "@hearth/wire";
 *
 * encodeItmoBlockId(itmoBlockIdOf(1, 1n)); // "ITMO-0000000G000000000001D"
 * ```
 */
export function itmoBlockIdOf(conversion: number, firstId: bigint): bigint {
  return (BigInt(conversion) << 64n) | firstId;
}

/**
 * Split a block's on-chain id into its parts.
 *
 * @example
 * ```ts
 * import { partsOfItmoBlock } from "@hearth/wire";
 *
 * partsOfItmoBlock(18446744073709551617n); // { conversion: 1, firstId: 1n }
 * ```
 */
export function partsOfItmoBlock(block: bigint): { conversion: number; firstId: bigint } {
  return { conversion: Number(block >> 64n), firstId: block & 0xffff_ffff_ffff_ffffn };
}

/** What permanently identifies ITMO units, as in the agreed electronic format. */
export type ItmoUnits = {
  /** Cooperative approach: `CA` and four digits. */
  cooperativeApproachId: string;
  /** The Party's ITMO registry: its code and two digits. */
  registryId: string;
  /** ISO 3166 alpha-3. */
  firstTransferringPartyId: string;
  /** First serial of the registry, from 1. */
  firstId: bigint;
  lastId: bigint;
  vintage: number;
};

const uniqueIdForm = /^(CA\d{4})-([A-Z]{3}\d{2})-([A-Z]{3})-([1-9]\d{0,19})-([1-9]\d{0,19})-(\d{4})$/;
const serialForm = /^([A-Z]{3}\d{2})-([1-9]\d{0,19})$/;

/**
 * Format units as their unique id: `CA0001-ZMB01-ZMB-1-930-2025`.
 *
 * @example
 * ```ts
 * import { itmoUniqueId, readItmoUniqueId } from "@hearth/wire";
 *
 * const units = readItmoUniqueId("CA0001-ZMB01-ZMB-1-930-2025");
 * if (units !== null) itmoUniqueId({ ...units, lastId: 600n }); // "CA0001-ZMB01-ZMB-1-600-2025"
 * ```
 */
export function itmoUniqueId(units: ItmoUnits): string {
  const { cooperativeApproachId, registryId, firstTransferringPartyId, firstId, lastId, vintage } = units;
  return [cooperativeApproachId, registryId, firstTransferringPartyId, firstId, lastId, vintage].join("-");
}

/**
 * Parse a unique id; null when it is invalid, or its serials are out of order or above 64 bits.
 *
 * @example
 * ```ts
 * import { readItmoUniqueId } from "@hearth/wire";
 *
 * readItmoUniqueId("CA0001-ZMB01-ZMB-1-930-2025")?.lastId; // 930n
 * ```
 */
export function readItmoUniqueId(text: string): ItmoUnits | null {
  const [, cooperativeApproachId, registryId, firstTransferringPartyId, first, last, vintage] =
    uniqueIdForm.exec(text) ?? [];
  if (!cooperativeApproachId || !registryId || !firstTransferringPartyId || !first || !last || !vintage) return null;
  const firstId = BigInt(first);
  const lastId = BigInt(last);
  if (lastId < firstId || lastId >> 64n !== 0n) return null;
  return { cooperativeApproachId, registryId, firstTransferringPartyId, firstId, lastId, vintage: Number(vintage) };
}

/**
 * Format one serial of a registry: `ZMB01-17`.
 *
 * @example
 * ```ts
 * import { itmoSerial } from "@hearth/wire";
 *
 * itmoSerial("ZMB01", 17n); // "ZMB01-17"
 * ```
 */
export function itmoSerial(registryId: string, serial: bigint): string {
  return `${registryId}-${serial}`;
}

/**
 * Parse one serial of a registry; null when it is invalid.
 *
 * @example
 * ```ts
 * import { readItmoSerial } from "@hearth/wire";
 *
 * readItmoSerial("ZMB01-17"); // { registryId: "ZMB01", serial: 17n }
 * ```
 */
export function readItmoSerial(text: string): { registryId: string; serial: bigint } | null {
  const [, registryId, digits] = serialForm.exec(text) ?? [];
  if (registryId === undefined || digits === undefined) return null;
  const serial = BigInt(digits);
  return serial >> 64n === 0n ? { registryId, serial } : null;
}
