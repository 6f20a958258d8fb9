/** Ids of ITMO blocks: the number on chain taken apart, and the text that the registries write. */

/** A block's number on chain is its conversion (32 bits), then its first serial (64 bits). */
export function itmoBlockIdOf(conversion: number, firstId: bigint): bigint {
  return (BigInt(conversion) << 64n) | firstId;
}

/** Take a block's number apart. */
export function partsOfItmoBlock(block: bigint): { conversion: number; firstId: bigint } {
  return { conversion: Number(block >> 64n), firstId: block & 0xffff_ffff_ffff_ffffn };
}

/** What identifies units of ITMOs for good, as the agreed electronic format has it. */
export type ItmoUnits = {
  /** `CA` and four digits. */
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

/** Write units as their unique id: `CA0001-ZMB01-ZMB-1-930-2025`. */
export function itmoUniqueId(units: ItmoUnits): string {
  const { cooperativeApproachId, registryId, firstTransferringPartyId, firstId, lastId, vintage } = units;
  return [cooperativeApproachId, registryId, firstTransferringPartyId, firstId, lastId, vintage].join("-");
}

/** Read a unique id; null when it is none, or its serials are out of order or above 64 bits. */
export function readItmoUniqueId(text: string): ItmoUnits | null {
  const [, cooperativeApproachId, registryId, firstTransferringPartyId, first, last, vintage] =
    uniqueIdForm.exec(text) ?? [];
  if (!cooperativeApproachId || !registryId || !firstTransferringPartyId || !first || !last || !vintage) return null;
  const firstId = BigInt(first);
  const lastId = BigInt(last);
  if (lastId < firstId || lastId >> 64n !== 0n) return null;
  return { cooperativeApproachId, registryId, firstTransferringPartyId, firstId, lastId, vintage: Number(vintage) };
}

/** Write one serial of a registry: `ZMB01-17`. */
export function itmoSerial(registryId: string, serial: bigint): string {
  return `${registryId}-${serial}`;
}

/** Read one serial of a registry; null when it is none. */
export function readItmoSerial(text: string): { registryId: string; serial: bigint } | null {
  const [, registryId, digits] = serialForm.exec(text) ?? [];
  if (registryId === undefined || digits === undefined) return null;
  const serial = BigInt(digits);
  return serial >> 64n === 0n ? { registryId, serial } : null;
}
