import { Alert, Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Decimal } from "../../../../wire/src/exact.ts";
import { Amount } from "../../show/amount.tsx";
import { type CampaignResult, carbonOf, problemsBesideAssumptions } from "./campaign-result.ts";
import { groups } from "./records.ts";

/** A campaign's result with the API's figures. */
export function ResultFigures({ result }: { result: CampaignResult }) {
  const { t } = useTranslation();
  const { saving, emissions, sensitivity, siblings } = result;
  const unit = t(`implementer.result.unit.${emissions.terms?.valuePer ?? "household"}`);
  return (
    <Stack>
      <Table.ScrollContainer minWidth={420} type="native" tabIndex={0}>
        <Table aria-label={t("implementer.result.groups")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("implementer.kpt.group")}</Table.Th>
              <Table.Th>{t("implementer.result.households")}</Table.Th>
              <Table.Th>{t("implementer.result.claims")}</Table.Th>
              <Table.Th>{t("implementer.result.mean", { unit })}</Table.Th>
              <Table.Th>{t("implementer.result.precision")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map((group) => {
              const { n, sampleSize, claims, mean, meets9010 } = result.groups[group];
              return (
                <Table.Tr key={group}>
                  <Table.Th scope="row">{t(`implementer.group.${group}`)}</Table.Th>
                  <Table.Td>{t("implementer.result.ofDrawn", { n, drawn: sampleSize })}</Table.Td>
                  <Table.Td>{claims}</Table.Td>
                  <Table.Td>{mean ?? t("common.none")}</Table.Td>
                  <Table.Td>{t(meets9010 ? "common.yes" : "common.no")}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm">
        {t("implementer.result.saving", {
          mean: saving.mean ?? t("common.none"),
          unit,
          lower: saving.lowerBound ?? t("common.none"),
        })}
      </Text>
      {siblings.length > 0 && (
        <Text size="sm">
          {t("implementer.result.siblings", {
            ids: siblings
              .map(({ campaignId, status }) => `${campaignId} (${t(`state.campaign.${status}`)})`)
              .join(", "),
          })}
        </Text>
      )}
      {emissions.reductions.map((reduction, index) => {
        const { method, er, assumptions, broken, certifiable } = reduction;
        const problems = problemsBesideAssumptions(reduction);
        return (
          <Alert key={method} color={certifiable.er === null ? "yellow" : "teal"} title={method}>
            <Stack gap={4}>
              <Text size="sm">
                {er === null ? (
                  t("implementer.result.noReduction")
                ) : (
                  <>
                    {t("implementer.result.reduction", { er: shortOf(er) })} ·{" "}
                    <Amount micro={carbonOf(er)} unit="carbon" />
                  </>
                )}
              </Text>
              <Text size="sm">
                {t("implementer.result.sensitive", {
                  er: shortOf(sensitivity.reductions[index]?.er ?? null, t("common.none")),
                })}
              </Text>
              {certifiable.basis === "sensitivity" && <Text size="sm">{t("implementer.result.lowerCounts")}</Text>}
              {problems.length > 0 && (
                <Text size="sm" fw={600}>
                  {t("implementer.result.notCertifiable")}
                </Text>
              )}
              {problems.map(({ rule, message }) => (
                <Text key={rule + message} size="sm" lang="en">
                  {message}
                </Text>
              ))}
              {broken.map(({ rule, message }) => (
                <Text key={rule + message} size="sm">
                  {message}
                </Text>
              ))}
              {assumptions.length > 0 && (
                <>
                  <Text size="sm" fw={600}>
                    {t("implementer.result.assumed")}
                  </Text>
                  {assumptions.map(({ parameter, value, message }) => (
                    <Text key={parameter} size="sm" lang="en">{`${message} (${value})`}</Text>
                  ))}
                </>
              )}
            </Stack>
          </Alert>
        );
      })}
    </Stack>
  );
}

/** Six decimals are grams; the page of the result shows all digits. */
function shortOf(er: Decimal | null, none = ""): string {
  if (er === null) return none;
  const [whole = "0", decimals = ""] = String(er).split(".");
  return decimals.length > 6 ? `${whole}.${decimals.slice(0, 6)}…` : String(er);
}
