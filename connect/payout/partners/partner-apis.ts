import type { SecretBox } from "../../../api/platform/secret-box.ts";
import type { RoomHost } from "../../room.ts";
import type { PartnerRow } from "../tables.ts";
import { openAirtelMoney } from "./airtel-money.ts";
import type { CallPartner } from "./http.ts";
import { openMtnMomo } from "./mtn-momo.ts";
import type { PartnerApi } from "./partner-api.ts";
import type { PartnerSettings } from "./schemas.ts";

type Host = Pick<RoomHost, "publicUrl" | "callOutside">;

/** The partners' APIs, opened when they are first used. Settings of a partner never change. */
export class PartnerApis {
  readonly #open = new Map<string, PartnerApi>();
  readonly #box: SecretBox;
  readonly #host: Host;

  constructor(box: SecretBox, host: Host) {
    this.#box = box;
    this.#host = host;
  }

  of(partner: PartnerRow): PartnerApi {
    const known = this.#open.get(partner.id) ?? this.#openApi(partner);
    this.#open.set(partner.id, known);
    return known;
  }

  /** Where the partner can tell that a transfer has ended. */
  callbackUrl({ sealedToken }: PartnerRow): string {
    return `${this.#host.publicUrl}/payouts/key/${this.#box.open(sealedToken)}`;
  }

  #openApi(partner: PartnerRow): PartnerApi {
    const settings = JSON.parse(this.#box.open(partner.sealedSettings)) as PartnerSettings;
    // A partner that was added before there was this setting could be anywhere.
    const { privateNetwork = true } = settings;
    const call: CallPartner = (url, request) => this.#host.callOutside(url, request, { privateNetwork });
    if (settings.kind === "mtn-momo") return openMtnMomo(call, settings, this.callbackUrl(partner));
    return openAirtelMoney(call, settings, partner.currency);
  }
}
