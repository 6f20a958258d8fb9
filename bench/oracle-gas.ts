import { keccak256, toHex, zeroHash } from "viem";
import { type GasFigures, type GasWorld, hashOf } from "./gas-world.ts";

const did = "did:web:oracle.example";
const PRICE = 10_000n;

/** Contracting an oracle, and settling what its messages cost. */
export async function takeOracles(world: GasWorld, figures: GasFigures): Promise<void> {
  const { oracles, stablecoin, gasOf, as, address } = world;
  const oracle = keccak256(toHex(did));
  const urls = { apiUrl: "http://localhost:4000", wsUrl: "", agentCardUri: "" };
  const terms = { price: PRICE, freeMessages: 3, allowance: 0 };
  const parties = { settler: address("operator"), payee: address("registrar") };
  const registration = { did, ...urls, ...terms, ...parties };
  const owner = address("registrar");
  figures["register an oracle"] = await gasOf(oracles.write.register([registration, owner], as("operator")));
  await stablecoin.write.mint([address("supplier"), 100_000_000n], as("operator"));
  await stablecoin.write.approve([oracles.address, 100_000_000n], as("supplier"));
  const deposit = () =>
    oracles.write.contractOracle([oracle, zeroHash, 10_000_000n, PRICE], as("supplier")).then((hash) => gasOf(hash));
  figures["contract an oracle"] = await deposit();
  figures["add to an oracle's deposit"] = await deposit();
  const claims = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      claimId: hashOf(`oracle claim ${from + i}`),
      payer: address("supplier"),
      amount: PRICE,
    }));
  const settle = (from: number, count: number) =>
    oracles.write.settle([oracle, claims(from, count)], as("operator")).then((hash) => gasOf(hash));
  await settle(0, 1);
  figures["settle an oracle's claim"] = await settle(1, 1);
  figures["settle an oracle's claim, of 100"] = (await settle(2, 100)) / 100;
}
