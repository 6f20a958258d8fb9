import { type Address, parseSignature } from "viem";
import type { Scheme } from "../scheme.ts";

export type Permit = {
  carbon: Address;
  owner: Address;
  spender: Address;
  value: bigint;
  nonce: bigint;
  deadline: bigint;
};

/** An ERC-2612 permit of CARBON as contracts take it. `by` is the owner, or whoever forges its signature. */
export async function signPermit(by: Scheme["household"], { carbon, ...message }: Permit) {
  return await signPermitOf({ name: "CARBON", address: carbon }, by, message);
}

/** The same of any token, by the name that its domain has. */
export async function signPermitOf(
  { name, address }: { name: string; address: Address },
  by: Scheme["household"],
  message: Omit<Permit, "carbon">,
) {
  const signature = await by.signTypedData({
    domain: { name, version: "1", chainId: 31337, verifyingContract: address },
    primaryType: "Permit",
    types: {
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    },
    message,
  });
  const { r, s, yParity } = parseSignature(signature);
  return { v: yParity + 27, r, s };
}
