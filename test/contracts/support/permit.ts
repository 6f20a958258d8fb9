import { type Address, parseSignature } from "viem";
import { tokenPermit } from "../../../wire/src/typed-data.ts";
import type { Scheme } from "../scheme.ts";

export type Permit = {
  carbon: Address;
  owner: Address;
  spender: Address;
  value: bigint;
  nonce: bigint;
  deadline: bigint;
};

/** Sign an ERC-2612 permit of CARBON in the form that contracts accept. `by` is the owner, or a forger. */
export async function signPermit(by: Scheme["household"], { carbon, ...message }: Permit) {
  return await signPermitOf({ name: "CARBON", address: carbon }, by, message);
}

/** Sign a permit of any token, given the name in its EIP-712 domain. */
export async function signPermitOf(
  { name, address }: { name: string; address: Address },
  by: Scheme["household"],
  message: Omit<Permit, "carbon">,
) {
  const domain = { name, version: "1", chainId: 31337, verifyingContract: address };
  const signature = await by.signTypedData(tokenPermit(domain, message));
  const { r, s, yParity } = parseSignature(signature);
  return { v: yParity + 27, r, s };
}
