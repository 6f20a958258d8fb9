import type { SecretBox } from "../../../api/platform/secret-box.ts";
import type { PartnerRow } from "../tables.ts";
import { openAirtelMoney } from "./airtel-money.ts";
import { openMtnMomo } from "./mtn-momo.ts";
import type { PartnerApi } from "./partner-api.ts";
import type { PartnerSettings } from "./schemas.ts";

/** The partners' APIs, opened when they are first used. Settings of a partner never change. */
export class PartnerApis {
  readonly #open = new Map<string, PartnerApi>();
  readonly #box: SecretBox;
  readonly #publicUrl: string;

  constructor(box: SecretBox, publicUrl: string) {
    this.#box = box;
    this.#publicUrl = publicUrl;
  }

  of(partner: PartnerRow): PartnerApi {
    const known = this.#open.get(partner.id) ?? this.#openApi(partner);
    this.#open.set(partner.id, known);
    return known;
  }

  /** Where the partner can tell that a transfer has ended. */
  callbackUrl({ sealedToken }: PartnerRow): string {
    return `${this.#publicUrl}/payouts/key/${this.#box.open(sealedToken)}`;
  }

  #openApi(partner: PartnerRow): PartnerApi {
    const settings = JSON.parse(this.#box.open(partner.sealedSettings)) as PartnerSettings;
    if (settings.kind === "mtn-momo") return openMtnMomo(settings, this.callbackUrl(partner));
    return openAirtelMoney(settings, partner.currency);
  }
}
