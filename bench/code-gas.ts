import { encodeFunctionData, type Hex, hexToBytes } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { codeAddress, codeKey, codesOf } from "../api/scheme/codes/secrets.ts";
import { CodeTree } from "../api/scheme/codes/tree.ts";
import { redemptionAuthorization } from "../wire/src/typed-data.ts";
import { type GasFigures, type GasWorld, hashOf, type Leaf, packLeaves, proofOf, registrationOf } from "./gas-world.ts";

const CHUNK = 256;
const CODES = 10;
const DAYS = [20_000, 40_000] as const;
const AMOUNT = 1_234_567n;
const DEADLINE = 2n ** 40n;
/** The ledger's numbers of the consent levels. */
const level = { code: 2, signature: 3 } as const;
const seed = Buffer.from(hexToBytes(hashOf("seed of the gas figures"))).toString("base64url");
const signer = privateKeyToAccount(hashOf("household of the gas figures"));

/**
 * Issue with one-time codes, and redeem with one of 10,000; a redemption with a household's signature is what a code is
 * compared with.
 */
export async function takeCodes(world: GasWorld, figures: GasFigures, leaves: Leaf[]): Promise<void> {
  const { certificates, vouchers, participants, gasOf, as, client } = world;
  const total = leaves.reduce((sum, { amount }) => sum + amount, 0n);
  const registration = registrationOf(total, leaves.length);
  const recorded = await gasOf(
    certificates.write.registerAllocated([registration, packLeaves(leaves)], as("registrar")),
  );
  const certificate = await certificates.read.certificateIndex([hashOf(registration.certificateId)]);
  const chunks = Array.from({ length: Math.ceil(leaves.length / CHUNK) }, (_, i) =>
    leaves.slice(i * CHUNK, (i + 1) * CHUNK),
  );
  const tree = CodeTree.of(
    leaves.map(({ household }) => household),
    (household) => codesOf(seed, household, CODES).map(codeAddress),
  );
  const encode = (functionName: "issueChunks" | "commitCodes", args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: vouchers.abi, functionName, args } as never);
  const calls = [
    encode("issueChunks", [certificate, 0, chunks.length, ...DAYS, "BATCH-2026-07"]),
    encode("commitCodes", [tree.root]),
  ];
  const issued = await gasOf(vouchers.write.multicall([calls], as("operator")));
  figures["batch issue with its allocation and codes, per voucher of 1000"] = (recorded + issued) / leaves.length;

  const first = BigInt((await vouchers.read.batchCount()) - chunks.length + 1) << 32n;
  const household = leaves[0]!.household;
  await gasOf(participants.write.proposeAccount([2, household, signer.address], as("operator")));
  await gasOf(participants.write.confirmAccount([household, signer.address], as("evaluator")));
  const vouchersAt = { chainId: await client.getChainId(), verifyingContract: vouchers.address };
  const redeem = async (
    consent: keyof typeof level,
    nonce: bigint,
    by: typeof signer,
    leaf: number,
    opens: boolean,
  ) => {
    const { household: owner, amount: value } = leaves[leaf]!;
    const order = { voucher: first | BigInt(leaf), supplier: 1, product: 1, amount: AMOUNT };
    const typed = redemptionAuthorization(vouchersAt, { ...order, nonce, deadline: Number(DEADLINE) });
    const signature = await by.signTypedData(typed as never);
    const proof = consent === "code" ? (tree.proofOf(owner, by.address) ?? []) : [];
    const openings = opens
      ? [{ voucher: order.voucher, household: owner, value, proof: proofOf(chunks[0]!, leaf) }]
      : [];
    const authorization = { order: 0, consent: level[consent], signature, nonce, deadline: DEADLINE, proof };
    return gasOf(vouchers.write.redeemMany([openings, [order], [authorization]], as("operator")));
  };
  const one = privateKeyToAccount(codeKey(codesOf(seed, household, 1)[0] ?? ""));
  await redeem("signature", 1n, signer, 0, true);
  figures["redeem with the household's signature, later use"] = await redeem("signature", 2n, signer, 0, false);
  figures["redeem with a code of 10000, later use"] = await redeem("code", BigInt(one.address), one, 0, false);
  const other = privateKeyToAccount(codeKey(codesOf(seed, leaves[1]!.household, CODES)[0] ?? ""));
  figures["redeem with a code of 10000, first use"] = await redeem("code", BigInt(other.address), other, 1, true);
}
