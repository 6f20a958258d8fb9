import { type SealedColumn, sealedColumns } from "../api/platform/sealed-columns.ts";
import { cadTrustSettings } from "./cad-trust/tables.ts";
import { koboConnections } from "./kobo/tables.ts";
import { odkCollectors } from "./odk/tables.ts";
import { payoutAccounts, payoutAttempts, payoutPartners } from "./payout/tables.ts";
import { phoneGateways, phoneMessages, phones, ussdSteps } from "./phones/tables.ts";

/** What rooms seal with the host's `secretBox`, also those that the configuration leaves out. */
export const sealedRoomColumns: SealedColumn[] = [
  ...sealedColumns(cadTrustSettings, "room", ["sealedApiKey"]),
  ...sealedColumns(koboConnections, "room", ["sealedToken", "sealedSecret", "sealedKey"]),
  // `sealedKey` there is sealed with the secret of the collector's link.
  ...sealedColumns(odkCollectors, "room", ["sealedHa1", "keyForPassword"]),
  ...sealedColumns(payoutPartners, "room", ["sealedSettings", "sealedToken", "sealedKey"]),
  ...sealedColumns(payoutAccounts, "room", ["sealedNumber", "sealedHolder"]),
  ...sealedColumns(payoutAttempts, "room", ["sealedNumber", "sealedHolder"]),
  ...sealedColumns(phoneGateways, "room", ["sealedKey", "sealedSms"]),
  ...sealedColumns(phones, "room", ["sealedNumber", "sealedHousehold"]),
  ...sealedColumns(phoneMessages, "room", ["sealedNumber", "sealedText"]),
  ...sealedColumns(ussdSteps, "room", ["sealedAnswer"]),
];
