export { campaignReaders, requireOwnCampaign, requireVisibleCampaign, WRITE_SCOPE } from "./access.ts";
export { readDueRounds, startBeaconReader } from "./beacon/beacon.ts";
export { type Campaigns, openCampaigns } from "./campaigns.ts";
export { isPublicDraw } from "./draw/public-draw.ts";
export { startSecretRevealer } from "./draw/secret-revealer.ts";
export { type DrawSecrets, openDrawSecrets, sealedDrawColumns } from "./draw/secrets.ts";
export { type EvidencePiece, evidenceMarks, evidencePieces } from "./evidence-marks.ts";
export { actsAtBlocks } from "./findings/acts.ts";
export { openCertificateFindings } from "./findings/certificate-findings.ts";
export { type OpenFindings, openFindings } from "./findings/open-findings.ts";
export { findingRoutes } from "./findings/routes.ts";
export type { VerificationAct } from "./findings/tables.ts";
export { discardReasons, dropReasons, type Group, groupOf } from "./groups.ts";
export type { CampaignRow, Member } from "./model.ts";
export { type CampaignProgress, campaignProgress, type MeasuredAt, placeKey } from "./positions/progress.ts";
export { recordedEvidence, statedEvidence } from "./recorded-evidence.ts";
export { dataRoomRoutes } from "./report/routes.ts";
export { defineCampaignCertificates } from "./result/certificate/link.ts";
export { fuelsWithDryNcv } from "./result/inputs/committed-parameters.ts";
export { campaignResultRoutes } from "./result/routes.ts";
export { campaignRoutes } from "./routes.ts";
export { periodOf } from "./sampling/terms.ts";
export { campaignParams } from "./schemas.ts";
export { documentedFactors } from "./terms/factors.ts";
export { usageSurveyRoutes } from "./usage/routes.ts";
export type {
  ClaimEvidence,
  ClaimOnRecord,
  ComparedEvidence,
  MarksToCompare,
  StoveUseOnRecord,
  VerifiedClaim,
} from "./verified-claims.ts";
