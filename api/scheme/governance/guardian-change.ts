import {
  type Address,
  type Hex,
  isAddressEqual,
  keccak256,
  pad,
  size,
  slice,
  stringToHex,
  toFunctionSelector,
} from "viem";
import { roleNumbers } from "../../../deployments/role-numbers.ts";

const selectors = (...signatures: string[]) => signatures.map((signature) => toFunctionSelector(signature));
/** Selectors of the access manager. */
const managing = selectors("grantRole(uint64,address,uint32)", "revokeRole(uint64,address)");
/** Selectors of the timelock. */
const controlling = selectors("grantRole(bytes32,address)", "revokeRole(bytes32,address)");
const CANCELLER = keccak256(stringToHex("CANCELLER_ROLE"));
const GUARDIAN = pad(`0x${roleNumbers.guardian.toString(16)}`);

/** Whether the calls only grant or revoke the guardian's role or its right to cancel: see CouncilTimelock. */
export function changesGuardianOnly(
  calls: readonly { target: string; data: string }[],
  contracts: { participants: Address; timelock: Address },
): boolean {
  return calls.every(({ target, data }) => {
    if (size(data as Hex) < 36) return false;
    const [selector, role] = [slice(data as Hex, 0, 4), slice(data as Hex, 4, 36)];
    if (isAddressEqual(target as Address, contracts.participants))
      return managing.includes(selector) && role === GUARDIAN;
    if (!isAddressEqual(target as Address, contracts.timelock)) return false;
    return controlling.includes(selector) && role === CANCELLER;
  });
}
