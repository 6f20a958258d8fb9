import type { Site } from "./operators.ts";

/** A change with the number that switches it on. */
export type Switched = Pick<Site, "start" | "end" | "wrap"> & { id: number };

/** The library that tells the contracts which change is on. It costs almost no gas, and pure functions may call it. */
export const switchSource = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

library Mutants {
    function on(uint256 id) internal pure returns (bool) {
        return _asPure(_on)(id);
    }

    function _on(uint256 id) private view returns (bool) {
        return uint160(address(block.coinbase)) == ${2n ** 64n} + id;
    }

    function _asPure(
        function(uint256) internal view returns (bool) asked
    ) private pure returns (function(uint256) internal pure returns (bool) result) {
        assembly ("memory-safe") {
            result := asked
        }
    }
}
`;

/** The coinbase account that switches a change on; 0 for none. */
export const switchAddress = (id: number): `0x${string}` =>
  `0x${(2n ** 64n + BigInt(id)).toString(16).padStart(40, "0")}`;

/** Insert all changes into a source; each is off until its number is switched on. */
export function instrument(source: string, changes: readonly Switched[]): string {
  const bytes = Buffer.from(source);
  const ordered = [...changes].sort((a, b) => a.start - b.start || b.end - a.end || b.id - a.id);
  let next = 0;
  const render = (start: number, end: number): string => {
    let text = "";
    let at = start;
    for (let change = ordered[next]; change !== undefined && change.start < end; change = ordered[next]) {
      next++;
      text += bytes.subarray(at, change.start).toString();
      const inner = render(change.start, change.end);
      text += change.wrap(inner, `Mutants.on(${change.id})`);
      at = change.end;
    }
    return text + bytes.subarray(at, end).toString();
  };
  const text = render(0, bytes.length);
  return text.replace(/^(pragma solidity .*)$/m, '$1\n\nimport {Mutants} from "../shared/Mutants.sol";');
}
