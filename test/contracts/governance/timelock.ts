import { expect } from "chai";
import { encodeFunctionData, getAddress, type Hex, keccak256, stringToHex, zeroAddress, zeroHash } from "viem";
import { participantsAbi } from "../../../deployments/abi/participants.ts";
import { timelockAbi } from "../../../deployments/abi/timelock.ts";
import * as S from "../scheme.ts";

const { networkHelpers, viem } = S.connection;
const CANCELLER = keccak256(stringToHex("CANCELLER_ROLE"));
type Wallet = Awaited<ReturnType<typeof S.accounts>>["council"];

/** A timelock whose proposer is the council's account; the guardian may cancel. */
async function timelockAlone() {
  const { council, guardian, stranger } = await S.accounts();
  const participants = await viem.deployContract("Participants", [council.account.address]);
  const safe = council.account.address;
  const timelock = await viem.deployContract("CouncilTimelock", [
    S.DAY,
    [safe],
    [zeroAddress],
    safe,
    participants.address,
  ]);
  await timelock.write.grantRole([CANCELLER, guardian.account.address]);
  return { participants, timelock, council, guardian, stranger };
}

const load = () => networkHelpers.loadFixture(timelockAlone);
type World = Awaited<ReturnType<typeof load>>;
type Call = { target: Hex; data: Hex };

const as = (wallet: Wallet) => ({ account: wallet.account });
const at = (wallet: Wallet) => getAddress(wallet.account.address);
const ofManager = (
  { participants }: World,
  functionName: "grantRole" | "revokeRole",
  role: bigint,
  who: Wallet,
): Call => ({
  target: participants.address,
  data:
    functionName === "grantRole"
      ? encodeFunctionData({ abi: participantsAbi, functionName, args: [role, at(who), 0] })
      : encodeFunctionData({ abi: participantsAbi, functionName, args: [role, at(who)] }),
});
const ofTimelock = ({ timelock }: World, functionName: "grantRole" | "revokeRole", role: Hex, who: Wallet): Call => ({
  target: timelock.address,
  data: encodeFunctionData({ abi: timelockAbi, functionName, args: [role, at(who)] }),
});

/** Schedule a call, or several as a batch; return the operation's id. */
async function schedule({ timelock }: World, calls: Call[]): Promise<Hex> {
  const [first] = calls;
  if (calls.length === 1 && first !== undefined) {
    await timelock.write.schedule([first.target, 0n, first.data, zeroHash, zeroHash, S.DAY]);
    return timelock.read.hashOperation([first.target, 0n, first.data, zeroHash, zeroHash]);
  }
  const batch = [calls.map(({ target }) => target), calls.map(() => 0n), calls.map(({ data }) => data)] as const;
  await timelock.write.scheduleBatch([...batch, zeroHash, zeroHash, S.DAY]);
  return timelock.read.hashOperationBatch([...batch, zeroHash, zeroHash]);
}

describe("CouncilTimelock", () => {
  const { guardian: GUARDIAN, operator: OPERATOR } = S.Role;
  const removals: [string, (w: World) => Call[]][] = [
    ["takes its role", (w) => [ofManager(w, "revokeRole", GUARDIAN, w.guardian)]],
    ["takes its right to cancel", (w) => [ofTimelock(w, "revokeRole", CANCELLER, w.guardian)]],
    ["names another guardian", (w) => [ofManager(w, "grantRole", GUARDIAN, w.stranger)]],
    [
      "replaces it in one batch",
      (w) => [
        ofManager(w, "grantRole", GUARDIAN, w.stranger),
        ofTimelock(w, "grantRole", CANCELLER, w.stranger),
        ofManager(w, "revokeRole", GUARDIAN, w.guardian),
        ofTimelock(w, "revokeRole", CANCELLER, w.guardian),
      ],
    ],
  ];
  for (const [name, callsOf] of removals) {
    it(`does not let the guardian cancel what only ${name}, and lets the council`, async () => {
      const w = await load();
      const id = await schedule(w, callsOf(w));
      const byGuardian = w.timelock.write.cancel([id], as(w.guardian));
      await S.reverts(byGuardian, w.timelock, "GuardianMayNotCancel", [id]);
      await S.emits(w.timelock.write.cancel([id], as(w.council)), w.timelock, "Cancelled", [id]);
    });
  }

  const others: [string, (w: World) => Call[]][] = [
    ["gives another role", (w) => [ofManager(w, "grantRole", OPERATOR, w.stranger)]],
    ["gives another right over the timelock", (w) => [ofTimelock(w, "grantRole", zeroHash, w.stranger)]],
    [
      "gives such a role elsewhere",
      (w) => [{ ...ofManager(w, "grantRole", GUARDIAN, w.stranger), target: at(w.stranger) }],
    ],
    ["labels the role", (w) => [{ target: w.participants.address, data: "0x853551b8" }]],
    [
      "makes another call as well",
      (w) => [ofManager(w, "revokeRole", GUARDIAN, w.guardian), ofManager(w, "grantRole", OPERATOR, w.stranger)],
    ],
  ];
  for (const [name, callsOf] of others) {
    it(`lets the guardian cancel what ${name}`, async () => {
      const w = await load();
      const id = await schedule(w, callsOf(w));
      await S.emits(w.timelock.write.cancel([id], as(w.guardian)), w.timelock, "Cancelled", [id]);
      expect(await w.timelock.read.isOperation([id])).to.equal(false);
    });
  }

  it("leaves cancelling to those who may, as before", async () => {
    const w = await load();
    const id = await schedule(w, [ofManager(w, "grantRole", OPERATOR, w.stranger)]);
    const refused = w.timelock.write.cancel([id], as(w.stranger));
    await S.reverts(refused, w.timelock, "AccessControlUnauthorizedAccount", [at(w.stranger), CANCELLER]);
  });
});
