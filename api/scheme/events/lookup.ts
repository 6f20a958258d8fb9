import { encodeVoucherId, voucherOfRedemption } from "../../../wire/src/ids.ts";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import type { Chain } from "../../platform/chain/index.ts";
import type { EventParties, Place } from "../../platform/events/index.ts";
import type { Campaigns, Group } from "../campaigns/index.ts";
import type { CertificateDirectory } from "../certificates/index.ts";
import type { Itmo } from "../itmo/index.ts";
import type { Registry } from "../registry/index.ts";

type CertificateNames = { emissionCertificateId: string; implementerDid: string };
type CampaignNames = { campaignId: string; implementerDid: string | null };
type AuthorizationNames = { authorizationId: string; cooperativeApproachId: string };
type ConversionNames = AuthorizationNames & { implementerDid: string };
type VoucherNames = CertificateNames & { householdDid: string | null };
type RedemptionNames = { parties: EventParties; voucherId: string; supplierDid: string; productId: string };

export type LookupSource = {
  chain: Chain;
  registry: Registry;
  certificates: CertificateDirectory;
  campaigns: Campaigns;
  itmo: Itmo;
};

/** Finds the names for the numbers in a log. They never change once they are on chain, so they are cached. */
export class EventLookup {
  readonly #chain: Chain;
  readonly #registry: Registry;
  readonly #certificates: CertificateDirectory;
  readonly #campaigns: Campaigns;
  readonly #itmo: Itmo;
  readonly #campaignNames = new BoundedCache<number, CampaignNames>(10_000);
  readonly #vouchers = new BoundedCache<bigint, VoucherNames>(50_000);
  readonly #redemptions = new BoundedCache<bigint, RedemptionNames>(50_000);

  constructor({ chain, registry, certificates, campaigns, itmo }: LookupSource) {
    this.#chain = chain;
    this.#registry = registry;
    this.#certificates = certificates;
    this.#campaigns = campaigns;
    this.#itmo = itmo;
  }

  async certificate(index: number): Promise<CertificateNames> {
    const certificate = required(await this.#certificates.byIndex(index), `certificate ${index}`);
    const implementerDid = await this.implementerDid(certificate.implementer);
    return { emissionCertificateId: certificate.certificateId, implementerDid };
  }

  /** Read a certificate's status before a change; undefined for its first. */
  async statusBefore(certificate: number, { blockNumber, logIndex }: Place): Promise<number | undefined> {
    const changes = await this.#chain.past("certificates", "CertificateStatusChanged", { certificate });
    const isBefore = (change: Place) =>
      change.blockNumber < blockNumber || (change.blockNumber === blockNumber && change.logIndex < logIndex);
    return changes.findLast(isBefore)?.args.status;
  }

  /** Read a campaign's names. The implementer is null under the scheme's default plan. */
  async campaign(index: number): Promise<CampaignNames> {
    const load = async () => {
      const { campaignId, implementer } = required(await this.#campaigns.byIndex(index), `campaign ${index}`);
      const owner = implementer === 0 ? null : await this.#registry.implementers.byIndex(implementer);
      return { campaignId, implementerDid: owner?.did ?? null };
    };
    return required(await this.#campaignNames.through(index, load), `campaign ${index}`);
  }

  async conversion(index: number): Promise<ConversionNames> {
    const row = required(await this.#itmo.conversion(index), `conversion ${index}`);
    const implementerDid = await this.implementerDid(row.implementer);
    return { implementerDid, ...(await this.authorization(row.authorization)) };
  }

  async authorization(index: number): Promise<AuthorizationNames> {
    const row = required(await this.#itmo.authorizations.byIndex(index), `authorization ${index}`);
    const approach = required(
      await this.#itmo.approaches.byIndex(row.approach),
      `cooperative approach ${row.approach}`,
    );
    return { authorizationId: row.authorizationId, cooperativeApproachId: approach.cooperativeApproachId };
  }

  /** Find a drawn household's DID; null when this database lacks the campaign's frames. */
  async sampledDid(campaign: number, group: Group, position: number): Promise<string | null> {
    return (await this.#campaigns.didsOf(campaign, group, [position])).get(position) ?? null;
  }

  async voucher(id: bigint): Promise<VoucherNames> {
    const load = async () => {
      const { certificate, household } = await this.#chain.read("vouchers", "voucherOf", [id]);
      return { ...(await this.certificate(certificate)), householdDid: await this.householdDid(household) };
    };
    return required(await this.#vouchers.through(id, load), `voucher ${id}`);
  }

  async redemption(id: bigint): Promise<RedemptionNames> {
    const load = async () => {
      const voucher = voucherOfRedemption(id);
      const [record, { implementerDid, householdDid }] = await Promise.all([
        this.#chain.read("vouchers", "redemptionOf", [id]),
        this.voucher(voucher),
      ]);
      const product = required(await this.#registry.products.byIndex(record.product), `product ${record.product}`);
      const supplierDid = await this.supplierDid(record.supplier);
      const parties = { supplierDid, implementerDid, householdDid };
      return { parties, voucherId: encodeVoucherId(voucher), supplierDid, productId: product.productId };
    };
    return required(await this.#redemptions.through(id, load), `redemption ${id}`);
  }

  async implementerDid(index: number): Promise<string> {
    return required(await this.#registry.implementers.byIndex(index), `implementer ${index}`).did;
  }

  async supplierDid(index: number): Promise<string> {
    return required(await this.#registry.suppliers.byIndex(index), `supplier ${index}`).did;
  }

  /** Find a household's DID; null when it is in another scheme's database. */
  async householdDid(index: number): Promise<string | null> {
    return (await this.#registry.households.byIndex(index))?.did ?? null;
  }

  async householdDids(indexes: number[]): Promise<Map<number, string>> {
    const found = await this.#registry.households.byIndexes(indexes);
    return new Map([...found].map(([index, { did }]) => [index, did]));
  }

  /** Find the households of registrations by their hashes. Those of another scheme are missing. */
  registrations(hashes: readonly string[]): ReturnType<Registry["households"]["rowsOf"]> {
    return this.#registry.households.rowsOf(hashes);
  }

  leavesOf(certificate: number): Promise<Uint8Array> {
    return this.#certificates.leavesOf(certificate);
  }
}

function required<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`The registry does not know ${what}.`);
  return value;
}
