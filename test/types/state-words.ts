// Compares the console's words for states with the index's states. A state without a word fails the type check here.
import type { ClaimStatus as ApiClaimStatus } from "../../api/scheme/claims/schemas.ts";
import type { bufferStates } from "../../api/scheme/itmo/buffer/schemas.ts";
import type { voucherStatuses } from "../../api/scheme/vouchers/schemas.ts";
import type { CampaignStatus } from "../../indexer/schema/campaigns.ts";
import type { CertificateStatus } from "../../indexer/schema/certificates.ts";
import type { ClaimStatus } from "../../indexer/schema/claims.ts";
import type {
  AuthorizationChangeKind,
  BufferChangeKind,
  ConversionStatus,
  ItmoBlockStatus,
  UnitAuthorizationStatus,
} from "../../indexer/schema/itmo-words.ts";
import type { ImplementerDebtKind } from "../../indexer/schema/participants.ts";
import type { VoucherStatus } from "../../indexer/schema/vouchers.ts";
import type { Relation } from "../../indexer/src/api/links.ts";
import type { Texts } from "../../web/src/i18n/texts.ts";
import type { IsTrue, SameWords } from "./compare.ts";

type Words = Texts["state"];

/** Every state of the index, and every step of a trace, has a word in every language. */
export type CheckedOfStates = [
  IsTrue<SameWords<keyof Words["certificate"], CertificateStatus>>,
  // The API has the status expired, the index has swept.
  IsTrue<SameWords<keyof Words["voucher"], VoucherStatus | (typeof voucherStatuses)[number]>>,
  // The API has the status lapsed, the index has it at the redemption.
  IsTrue<SameWords<keyof Words["claim"], ClaimStatus | ApiClaimStatus>>,
  IsTrue<SameWords<keyof Words["campaign"], CampaignStatus>>,
  IsTrue<SameWords<keyof Words["implementerDebt"], ImplementerDebtKind>>,
  IsTrue<SameWords<keyof Words["conversion"], ConversionStatus>>,
  // The index says from when a change is final, the console shows that day.
  IsTrue<SameWords<keyof Words["authorization"], Exclude<UnitAuthorizationStatus, `${string}-announced`>>>,
  IsTrue<SameWords<keyof Words["authorizationChange"], AuthorizationChangeKind>>,
  IsTrue<SameWords<keyof Words["itmoBlock"], ItmoBlockStatus>>,
  IsTrue<SameWords<keyof Words["buffer"], (typeof bufferStates)[number]>>,
  IsTrue<SameWords<keyof Words["bufferChange"], BufferChangeKind>>,
  IsTrue<SameWords<keyof Texts["relation"], Relation>>,
];
