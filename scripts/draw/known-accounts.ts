import { isAddress } from "viem";
import { UsageError } from "../verifier-command.ts";

/** Who takes part in a draw, as the reader knows it from elsewhere. What a document says about them proves nothing. */
export type KnownAccounts = {
  /** Accounts that the service signs with. */
  serviceAccounts?: readonly string[] | undefined;
  /** Account of somebody who is independent of the service. */
  secondParty?: string | undefined;
  /** Public key of the randomness beacon, hexadecimal; undefined: that of drand's quicknet. */
  beacon?: string | undefined;
};

export const knownAccountOptions = {
  "service-accounts": { type: "string" },
  "second-party": { type: "string" },
  beacon: { type: "string" },
} as const;

export const knownAccountUsage = `--service-accounts A,B  accounts that the service signs with, as you know them from elsewhere
--second-party ADDRESS  account of the draw's second party, as you know it from elsewhere
--beacon KEY            public key of the randomness beacon, where the terms commit one; default: drand's quicknet`;

/** Why a document alone cannot show that two parties drew. */
export const unknownAccounts =
  "who holds the second party's key (--service-accounts or --second-party): the document may leave out an account of the service";

type Values = {
  "service-accounts"?: string | undefined;
  "second-party"?: string | undefined;
  beacon?: string | undefined;
};

/** @throws UsageError for what is not an address, and for a key that is not hexadecimal */
export function readKnownAccounts(values: Values): KnownAccounts {
  const serviceAccounts = values["service-accounts"]?.split(",").map((each) => each.trim());
  const secondParty = values["second-party"];
  for (const account of [...(serviceAccounts ?? []), ...(secondParty === undefined ? [] : [secondParty])]) {
    if (!isAddress(account, { strict: false })) throw new UsageError(`"${account}" is not an address.`);
  }
  const beacon = values.beacon?.toLowerCase().replace(/^0x/, "");
  if (beacon !== undefined && !/^[0-9a-f]+$/.test(beacon)) throw new UsageError("--beacon is not a hexadecimal key.");
  return { serviceAccounts, secondParty, beacon };
}

/** Check whether the reader knows enough to say who holds the second party's key. */
export function knowsParties({ serviceAccounts, secondParty }: KnownAccounts): boolean {
  return serviceAccounts !== undefined || secondParty !== undefined;
}

/** Check whether the service signs with an account, by what the document states and by what the reader knows. */
export function isOfService(account: string, stated: readonly string[], known: KnownAccounts): boolean {
  return [...stated, ...(known.serviceAccounts ?? [])].some((each) => isSameAccount(each, account));
}

/** Check whether the reader knows another account as the second party's. */
export function isOtherParty(account: string, { secondParty }: KnownAccounts): boolean {
  return secondParty !== undefined && !isSameAccount(secondParty, account);
}

function isSameAccount(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
