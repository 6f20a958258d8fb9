import { Alert, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { useSession } from "../../session/session.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { WideTable } from "../../show/wide-table.tsx";

const readers: readonly string[] = ["admin", "evaluator", "regulator"];

/** The flags of a campaign's claims, for evaluators, the regulator and admin. Others see nothing. */
export function ClaimFlags({ campaignId }: { campaignId: string }) {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  const isReader = role !== undefined && readers.includes(role);
  const { data, error, refetch } = useQuery({
    queryKey: ["regulator", "claim-flags", campaignId],
    queryFn: ({ signal }) => hearth.get("/v1/campaigns/{campaignId}/claim-flags", { path: { campaignId }, signal }),
    enabled: isReader,
  });
  if (!isReader) return null;
  return (
    <Stack gap="xs">
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data?.count === 0 && data.records.count === 0 && <Alert color="teal">{t("regulator.campaigns.noFlags")}</Alert>}
      {data !== undefined && data.count + data.records.count > 0 && (
        <>
          <Text size="sm">{t("regulator.campaigns.flagsHint", { count: data.count + data.records.count })}</Text>
          <WideTable label={t("regulator.campaigns.flags")} minWidth={480} maxHeight={400}>
            <Table striped aria-label={t("regulator.campaigns.flags")}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t("regulator.campaigns.flag")}</Table.Th>
                  <Table.Th>{t("regulator.campaigns.flaggedRecord")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.items.map(({ claimId, rule, path, message, others }) => (
                  <Table.Tr key={`${claimId} ${rule} ${path} ${message}`}>
                    <FlagCell rule={rule} message={message} />
                    <Table.Td>
                      <Ids ids={[claimId, ...others]} />
                    </Table.Td>
                  </Table.Tr>
                ))}
                {data.records.items.map(({ kind, group, position, serial, rule, path, message, others }) => (
                  <Table.Tr key={`${kind} ${group} ${position} ${serial} ${rule} ${path}`}>
                    <FlagCell rule={rule} message={message} />
                    <Table.Td>
                      <Text size="sm">
                        {t(`regulator.campaigns.recordKind.${kind}`, {
                          place: serial ?? position,
                          group: group === null ? "" : t(`regulator.campaigns.${group}`),
                        })}
                      </Text>
                      <Ids ids={others} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </WideTable>
        </>
      )}
    </Stack>
  );
}

type Flags = Schemas["CampaignClaimFlags"];
type FlagCellProps = { rule: (Flags["items"] | Flags["records"]["items"])[number]["rule"]; message: string };

function FlagCell({ rule, message }: FlagCellProps) {
  const { t } = useTranslation();
  return (
    <Table.Td>
      <Text size="sm" fw={600}>
        {t(`regulator.campaigns.flagRule.${rule}`)}
      </Text>
      <Text size="sm" lang="en">
        {message}
      </Text>
    </Table.Td>
  );
}

function Ids({ ids }: { ids: readonly string[] }) {
  return ids.map((id) => (
    <Text key={id} size="sm" ff="monospace">
      {id}
    </Text>
  ));
}
