import { Alert, Button, Group, Stack, Stepper, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { toMicro } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { useCertifiability } from "../../regulator/campaigns/use-certifiability.ts";
import { useSession } from "../../session/session.ts";
import { useCampaignResult } from "./campaign-result.ts";
import { type Campaign, groups } from "./records.ts";

const steps = ["committed", "drawn", "measured", "closed", "verified", "certified", "issued"] as const;
type Step = (typeof steps)[number];

type Certificate = Schemas["Certificate"];

/** Progress of a campaign towards its vouchers, and who must act next. */
export function CampaignSteps({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const isWide = useMediaQuery("(min-width: 62em)", true, { getInitialValueInEffect: false });
  const { done, certificate } = useProgress(campaign);
  const next = steps[done];
  return (
    <Stack>
      <Stepper
        active={done}
        orientation={isWide ? "horizontal" : "vertical"}
        size="xs"
        iconSize={26}
        role="group"
        aria-label={t("implementer.road.label")}
        allowNextStepsSelect={false}
      >
        {steps.map((step) => (
          <Stepper.Step
            key={step}
            label={t(`implementer.road.${step}`)}
            component="div"
            aria-current={step === next ? "step" : undefined}
          />
        ))}
      </Stepper>
      {next !== undefined && next !== "drawn" && <Next {...{ campaign, next, certificate }} />}
    </Stack>
  );
}

type NextProps = { campaign: Campaign; next: Step; certificate: Certificate | undefined };

/** Who must act next, with a link when it is the user. The draw is in another card. */
function Next({ campaign, next, certificate }: NextProps) {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  const { campaignId, sampleSize } = campaign;
  const id = encodeURIComponent(campaignId);
  const claims = groups.map((group) => campaign.groups[group].claims);
  const isRegulator = role === "regulator" || role === "admin";
  const isImplementer = role === "implementer" || role === "admin";
  return (
    <Alert color="gray" title={t(`implementer.road.who.${whoActs(next)}`)}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t(`implementer.road.next.${next as Exclude<Step, "committed" | "drawn">}`, {
            reference: claims[0],
            intervention: claims[1],
            sample: sampleSize,
            certificate: certificate?.certificateId ?? "",
          })}
        </Text>
        <Group gap="sm">
          {(next === "measured" || next === "closed") && (
            <Button component={Link} to={`/implementer/measure/${id}`}>
              {t("implementer.kpt.title")}
            </Button>
          )}
          {(next === "measured" || next === "closed") && (isImplementer || isRegulator) && (
            <Button component={Link} to={`/implementer/close/${id}`} variant="default">
              {t("implementer.close.open")}
            </Button>
          )}
          {next === "verified" && (
            <Button component={Link} to={`/regulator/findings/${id}`}>
              {t("implementer.findings.link")}
            </Button>
          )}
          {next === "certified" && isRegulator && (
            <Button component={Link} to={`/regulator/certify/${id}`}>
              {t("implementer.certify.open")}
            </Button>
          )}
          {next === "issued" && isImplementer && certificate !== undefined && (
            <Button
              component={Link}
              to="/implementer/issue"
              search={{ certificate: certificate.certificateId } as never}
            >
              {t("implementer.issue.submit")}
            </Button>
          )}
          {next !== "measured" && (
            <Button component={Link} to={`/regulator/campaigns/${id}`} variant="default">
              {t("implementer.road.result")}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

function whoActs(next: Step) {
  if (next === "verified") return "verifier";
  return next === "certified" ? "regulator" : "implementer";
}

/** Rules that a verifier answers for. */
const verificationRules: readonly string[] = [
  "data-room-verified",
  "data-room-current",
  "findings-closed",
  "issuer-trusted",
];

/** Number of completed steps, and the certificate once it exists. */
function useProgress(campaign: Campaign): { done: number; certificate: Certificate | undefined } {
  const { status, campaignId } = campaign;
  const result = useCampaignResult(status === "closed" ? campaignId : undefined);
  const certificateId = result.data?.closing?.certificateId ?? undefined;
  const certificate = useQuery({
    queryKey: ["implementer", "certificates", "one", certificateId],
    enabled: certificateId !== undefined,
    queryFn: ({ signal }) =>
      hearth.get("/v1/certificates/{certificateId}", { path: { certificateId: certificateId ?? "" }, signal }),
  }).data;
  const check = useCertifiability(status === "closed" ? campaignId : undefined).data;
  const isVerified = check?.problems.every(({ rule }) => !verificationRules.includes(rule)) ?? false;
  const isMeasured = campaign.openPositions === 0;
  if (status === "committed") return { done: 1, certificate };
  if (status === "drawn") return { done: isMeasured ? 3 : 2, certificate };
  if (certificate === undefined) return { done: isVerified ? 5 : 4, certificate };
  return { done: toMicro(certificate.remaining) === 0n ? 7 : 6, certificate };
}
