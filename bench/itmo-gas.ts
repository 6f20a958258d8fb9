import { stringToHex } from "viem";
import { type GasFigures, type GasWorld, hashOf, registrationOf } from "./gas-world.ts";
import { requestByOrder } from "./pool-gas.ts";

const TONNE = 1_000_000_000n;

/** A conversion of 1000 t and the life of its block; each figure uses conversions and daily caps that were used before. */
export async function takeItmos(world: GasWorld, figures: GasFigures): Promise<void> {
  const { itmo, gasOf, as } = world;
  await registerTerms(world);
  await giveCarbon(world, 5_000n * TONNE);
  const order = { implementer: 1, amount: 1_000n * TONNE, authorization: 1, vintage: 2024 };
  const request = () => gasOf(itmo.write.requestConversion([order], as("implementer")));
  const finalise = (conversion: number, firstId: bigint) =>
    gasOf(
      itmo.write.finalise([conversion, stringToHex("ZMB01"), firstId, firstId + 999n, conversion - 1], as("registrar")),
    );
  await request();
  figures["request a conversion of CARBON"] = await request();
  await requestByOrder(world, 1_000n * TONNE, 1n);
  figures["request a conversion by order with permit"] = await requestByOrder(world, 1_000n * TONNE, 2n);
  await finalise(1, 1n);
  figures["finalise a conversion, with shares"] = await finalise(2, 1_001n);
  const part = (firstId: bigint, lastId: bigint, from: bigint) => ({ blockId: (2n << 64n) | from, firstId, lastId });
  figures["revert a conversion"] = await gasOf(itmo.write.revertConversion([3, "not in order"], as("registrar")));
  const transfer = (one: ReturnType<typeof part>) =>
    gasOf(itmo.write.transfer([one, stringToHex("CHE"), "MOPA 2026-1"], as("registrar")));
  figures["transfer a part of an ITMO block"] = await transfer(part(1_101n, 1_200n, 1_001n));
  figures["transfer a whole ITMO block"] = await transfer(part(1_001n, 1_100n, 1_001n));
  figures["use an ITMO block towards an NDC"] = await gasOf(
    itmo.write.useForNdc([part(1_101n, 1_200n, 1_101n), 2026, ""], as("registrar")),
  );
  figures["reduce an authorization"] = await gasOf(
    world.authorizations.write.reduce([1, 1, 50_000n, "Second letter"], as("registrar")),
  );
}

async function registerTerms({ itmo, gasOf, as }: GasWorld): Promise<void> {
  const approach = {
    approachId: stringToHex("CA0001"),
    firstTransferringParty: stringToHex("ZMB"),
    participatingParties: [stringToHex("CHE")],
    sectors: ["Building and construction"],
    activityType: "Energy Efficiency households",
    ndcFirstYear: 2021,
    ndcLastYear: 2030,
  };
  const authorization = {
    authorizationId: "ZMB-2026-0001",
    approach: 1,
    date: 19_000,
    quantity: 100_000n,
    purpose: 5,
    firstTransfer: 3,
    firstYear: 2021,
    lastYear: 2030,
    omgeShare: 200,
    sopShare: 500,
    entities: [{ name: "Buyer AG", country: stringToHex("CHE"), entityId: "CHE-100", implementer: 0 }],
    terms: "{}",
  };
  await gasOf(itmo.write.registerApproach([approach], as("registrar")));
  await gasOf(itmo.write.registerAuthorization([authorization], as("registrar")));
}

/** Mint CARBON to the implementer through the contracts, and approve it to the ITMO contract. */
async function giveCarbon(world: GasWorld, amount: bigint): Promise<void> {
  const { carbon, certificates, itmo, vouchers, networkHelpers, fund, gasOf, as, address } = world;
  await networkHelpers.impersonateAccount(vouchers.address);
  await fund(vouchers.address);
  const ledger = { account: vouchers.address };
  const registration = { ...registrationOf(amount, 0), vintage: 2024 };
  await gasOf(certificates.write.registerCertificate([registration], as("registrar")));
  const certificate = await certificates.read.certificateIndex([hashOf(registration.certificateId)]);
  await gasOf(certificates.write.releaseLot([certificate, amount], ledger));
  await gasOf(carbon.write.mint([amount], { account: vouchers.address }));
  await gasOf(carbon.write.transfer([address("implementer"), amount], { account: vouchers.address }));
  await gasOf(carbon.write.approve([itmo.address, amount], as("implementer")));
}
