import type { RequestContext } from "../../../platform/http/index.ts";
import { statusConflict } from "../../registry/index.ts";
import { requireClose } from "../dataroom/close.ts";
import { openDataRoom, requireClosedCampaign } from "../dataroom/data-room.ts";
import type { CampaignDeps } from "../deps.ts";
import { guardianRow } from "./guardian-row.ts";

/** A verifiable credential as JSON, whose proof is the signed token. */
export type GuardianReport = Record<string, unknown> & { proof: { type: "JwtProof2020"; jwt: string } };

/**
 * The monitoring report of a closed campaign as a verifiable credential, with the fields of Guardian's cookstove policies. The same
 * state gives the same credential.
 * @throws AppError NOT_FOUND, also for a campaign that the actor may not see; FORBIDDEN; CONFLICT unless it is closed, and where its
 *   method has no reduction
 */
export async function guardianReport(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<GuardianReport> {
  const closed = await requireClosedCampaign(deps, ctx, campaignId);
  const { figures, record, hash } = closed.document;
  const { method } = record.terms;
  const reduction = figures.emissions.reductions.find((each) => each.method === method);
  if (reduction === undefined || reduction.er === null) {
    throw statusConflict("The campaign's result has no reduction by its committed method.");
  }
  const [room, { at }] = await Promise.all([openDataRoom(deps, closed), requireClose(deps, closed.row)]);
  const year = record.terms.vintage ?? Number(record.test?.endDate.slice(0, 4) ?? at.getUTCFullYear());
  const { fields, exact, units, notMeasured } = guardianRow(reduction, { year, deviceDays: record.devices?.days });
  const { reference } = figures.groups;
  const jwt = await deps.credentials.attest({
    type: "MonitoringReportCredential",
    id: `urn:hearth:monitoring-report:${hash.slice(2)}`,
    subject: {
      type: "MonitoringReport",
      campaignId,
      methodology: `${reduction.method} ${reduction.version}`,
      resultHash: hash,
      dataRoomHash: room.hash,
      certifiable: reduction.certifiable.er !== null,
      baseline_parameters: {
        baseline_fuel_type: record.terms.fuel ?? "wood",
        meets9010: reference.meets9010,
        measured_households: reference.n,
      },
      emission_reductions: [fields],
      exact,
      units,
      not_measured: notMeasured,
    },
    issuedAt: at,
  });
  return { ...credentialOf(jwt), proof: { type: "JwtProof2020", jwt } };
}

/** The credential that a token signs. */
function credentialOf(jwt: string): Record<string, unknown> {
  const payload = JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString("utf8")) as {
    vc: Record<string, unknown>;
    iss: string;
    jti: string;
    nbf: number;
  };
  const { vc, iss, jti, nbf } = payload;
  return { ...vc, id: jti, issuer: iss, issuanceDate: new Date(nbf * 1_000).toISOString() };
}
