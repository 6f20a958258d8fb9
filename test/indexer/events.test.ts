import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { Abi } from "viem";
import { abis } from "../../api/platform/chain/contracts.ts";

const neverEmitted = "EIP-712 domains of ours never change";
const allowance = "an allowance moves nothing";
const noTargets = "none of our contracts is a target of the access manager";

/** Events that no handler reads, and why. */
const leftOut: Record<string, string> = {
  "Participants:OperationScheduled": noTargets,
  "Participants:OperationExecuted": noTargets,
  "Participants:OperationCanceled": noTargets,
  "Participants:TargetAdminDelayUpdated": noTargets,
  "Participants:TargetClosed": noTargets,
  "Participants:TargetFunctionRoleUpdated": noTargets,
  "Participants:RoleLabel": "a name for people; who may do what goes by the role's number",
  "Campaigns:EIP712DomainChanged": neverEmitted,
  "Carbon:Approval": allowance,
  "Carbon:EIP712DomainChanged": neverEmitted,
  "Claims:EIP712DomainChanged": neverEmitted,
  "Pool:EIP712DomainChanged": neverEmitted,
  "Itmo:EIP712DomainChanged": neverEmitted,
  "Stablecoin:Approval": allowance,
  "Stablecoin:EIP712DomainChanged": "the token is not ours",
  "Stablecoin:OwnershipTransferred": "the token is not ours",
  "Stablecoin:Transfer": "the pool tells what it receives and pays",
};

const sources = new URL("../../indexer/src/", import.meta.url);

/** `Contract:Event` of every handler. */
function handled(): Set<string> {
  const files = readdirSync(sources).filter((name) => name.endsWith(".ts"));
  const text = files.map((name) => readFileSync(new URL(name, sources), "utf8")).join("\n");
  return new Set([...text.matchAll(/(?<!\.)\bon\(\s*"([^"]+)"/g)].map(([, name]) => name as string));
}

function emitted(): string[] {
  return Object.entries(abis).flatMap(([contract, abi]) =>
    (abi as Abi)
      .filter((item) => item.type === "event")
      .map(({ name }) => `${contract.charAt(0).toUpperCase()}${contract.slice(1)}:${name}`),
  );
}

describe("the index's handlers", () => {
  it("read every event of the contracts, but those that are left out for a reason", () => {
    const known = handled();
    assert.ok(known.size > 50);
    assert.deepEqual(
      emitted().filter((event) => !known.has(event)),
      emitted().filter((event) => event in leftOut),
    );
  });

  it("read no event that is gone, and none that is left out", () => {
    const events = new Set(emitted());
    const stale = [...handled(), ...Object.keys(leftOut)].filter((event) => !events.has(event));
    assert.deepEqual(stale, []);
    assert.deepEqual(
      [...handled()].filter((event) => event in leftOut),
      [],
    );
  });
});
