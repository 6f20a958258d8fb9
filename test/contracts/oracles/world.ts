import { type Hex, keccak256, toHex } from "viem";
import * as S from "../scheme.ts";
import { signPermitOf } from "../support/permit.ts";

const { viem } = S.connection;

export const did = "did:web:oracle.example";
export const oracle: Hex = keccak256(toHex(did));
export const PRICE = 10_000n;
export const user = S.hashOf("a user");

type Wallet = Awaited<ReturnType<typeof S.accounts>>["stranger"];
export const as = (who: Wallet) => ({ account: who.account });

export const registration = ({ settler, payee }: { settler: Wallet; payee: Wallet }) => ({
  did,
  apiUrl: "http://localhost:4000",
  wsUrl: "",
  agentCardUri: "",
  price: PRICE,
  freeMessages: 3,
  allowance: 2,
  settler: settler.account.address,
  payee: payee.account.address,
});

/** The registry with one oracle, and two payers who hold and have approved 100 coins of a token that can misbehave. */
export async function openOracles() {
  const { council, operator, stranger, ...who } = await S.accounts();
  const participants = await viem.deployContract("Participants", [council.account.address]);
  await participants.write.grantRole([S.Role.operator, operator.account.address, 0]);
  const token = await viem.deployContract("HostileToken");
  const oracles = await viem.deployContract("OracleRegistry", [participants.address, token.address]);
  const { registrar: owner, evaluator: settler, implementer: payee, supplier: payer, otherSupplier: other } = who;
  await oracles.write.register([registration({ settler, payee }), owner.account.address], as(operator));
  for (const each of [payer, other]) {
    await token.write.mint([each.account.address, 100_000_000n]);
    await token.write.approve([oracles.address, 100_000_000n], as(each));
  }
  return { participants, token, oracles, operator, stranger, owner, settler, payee, payer, other };
}

export type Oracles = Awaited<ReturnType<typeof openOracles>>;

export const claimOf = (name: string, payer: Wallet, amount = PRICE) => ({
  claimId: S.hashOf(name),
  payer: payer.account.address,
  amount,
});

/** A permit of the hostile token for the registry. */
export async function signPermit({ token, oracles }: Oracles, by: Wallet, value: bigint, nonce: bigint, owner = by) {
  const message = { owner: owner.account.address, spender: oracles.address, value, nonce, deadline: 2n ** 40n };
  const signature = await signPermitOf({ name: "Hostile", address: token.address }, by, message);
  return { deadline: message.deadline, ...signature };
}
