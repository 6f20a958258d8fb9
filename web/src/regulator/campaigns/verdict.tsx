import { Alert, Anchor, List, Stack, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Decimal } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { localeOf } from "../../i18n/i18n.ts";
import { useSession } from "../../session/session.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { TraceLink } from "../trace-link.tsx";
import { committedReduction, type Result } from "./result.ts";
import { useCertifiability } from "./use-certifiability.ts";
import { formatDecimal } from "./waterfall.ts";

/** Whether a certificate can be made from a campaign's result, for how much, and every reason why not. */
export function Verdict({ result }: { result: Result }) {
  const { isReader, data, error, refetch } = useCertifiability(result.campaignId);
  if (!isReader) return null;
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Loading /> : <Shown check={data} result={result} />;
}

type ShownProps = { check: Schemas["CampaignCertificateCheck"]; result: Result };

function Shown({ check, result }: ShownProps) {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  const { campaignId, certificateId, problems } = check;
  if (certificateId !== null) {
    return (
      <Alert color="teal" title={t("regulator.verify.certified")}>
        <Stack gap="xs">
          <TraceLink id={certificateId} />
          <Basis check={check} result={result} />
        </Stack>
      </Alert>
    );
  }
  if (problems.length === 0) {
    return (
      <Alert color="teal" title={t("regulator.verify.possible")}>
        <Stack gap="xs">
          <Basis check={check} result={result} />
          {(role === "regulator" || role === "admin") && (
            <Anchor component={Link} to={`/regulator/certify/${encodeURIComponent(campaignId)}`} size="sm">
              {t("implementer.certify.open")}
            </Anchor>
          )}
        </Stack>
      </Alert>
    );
  }
  return (
    <Alert color="orange" title={t("regulator.verify.impossible", { count: problems.length })}>
      <Stack gap="xs">
        <List size="sm" spacing={4}>
          {problems.map(({ rule, path, message }) => (
            <List.Item key={`${rule} ${path ?? ""} ${message}`} lang="en" style={{ overflowWrap: "anywhere" }}>
              {message}
            </List.Item>
          ))}
        </List>
        <Basis check={check} result={result} />
      </Stack>
    </Alert>
  );
}

/** The measured reduction, the one with unmeasured households counted against the project, and what can be certified. */
function Basis({ check, result }: ShownProps) {
  const { t, i18n } = useTranslation();
  const { sensitivity, groups } = result;
  const reduction = committedReduction(result);
  const sensitive = sensitivity.reductions.find(({ method }) => method === reduction?.method);
  const unmeasured = (["reference", "intervention"] as const).reduce(
    (sum, group) => sum + sensitivity.missing[group].length + sensitivity.open[group].length,
    0,
  );
  const drawn = groups.reference.n + groups.intervention.n + unmeasured;
  const tonnes = (er: Decimal | null | undefined) =>
    er === null || er === undefined
      ? t("common.none")
      : t("regulator.verify.tonnes", { er: formatDecimal(er, localeOf(i18n.language), 6) });
  const rows = [
    ["measured", reduction?.er],
    ["sensitive", sensitive?.er],
    [check.certificateId === null ? "certifiable" : "certifiedAs", check.er],
  ] as const;
  return (
    <>
      <WideTable label={t("regulator.verify.figures")} minWidth={280}>
        <Table aria-label={t("regulator.verify.figures")} maw={640} withRowBorders={false} verticalSpacing={2}>
          <Table.Tbody>
            {rows.map(([name, er]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={name === "measured" || name === "sensitive" ? 400 : 700} px={0}>
                  {t(`regulator.verify.${name}`)}
                </Table.Th>
                <Table.Td ta="end" title={er === null || er === undefined ? undefined : String(er)}>
                  {tonnes(er)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      <Text size="sm">
        {t("regulator.verify.unmeasured", { count: unmeasured, drawn })}
        {check.basis === "sensitivity" && ` ${t("implementer.result.lowerCounts")}`}
      </Text>
    </>
  );
}
