import { Alert, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { ProblemList } from "./problem-list.tsx";

type Plan = Schemas["CadTrustPlan"];
type FieldChange = Plan["changes"][number]["changes"][number];

/** The most records that are shown; the command shows all. */
const mostShown = 200;

/** Read the plan of a publication. Reading it sends nothing. */
export function usePlan() {
  return useQuery({
    queryKey: ["regulator", "cad-trust", "plan"],
    queryFn: ({ signal }) => hearth.get("/v1/cad-trust/plan", { signal }),
    staleTime: 0,
    retry: false,
  });
}

/** What a publication would send now, and what the server would refuse. */
export function PlanView() {
  const { t } = useTranslation();
  const plan = usePlan();
  return (
    <Paper withBorder p="md" radius="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t("registry.plan.title")}
        </Title>
        {plan.isPending && <Loading />}
        {plan.isError && <ErrorNotice error={plan.error} onRetry={() => void plan.refetch()} />}
        {plan.data !== undefined && <Outcome plan={plan.data} />}
      </Stack>
    </Paper>
  );
}

function Outcome({ plan: { records, changes, leftOut, problems } }: { plan: Plan }) {
  const { t } = useTranslation();
  return (
    <>
      <Text>
        {changes.length === 0
          ? t("registry.plan.nothing")
          : t("registry.plan.toSend", { records, number: changes.length })}
      </Text>
      {leftOut.map(({ activityId, certificates }) => (
        <Text key={activityId} size="sm">
          {t("registry.plan.leftOut", { activityId, certificates })}
        </Text>
      ))}
      {problems.length === 0 ? (
        <Text size="sm">{t("registry.plan.good")}</Text>
      ) : (
        <Alert color="red" variant="light" role="status" title={t("registry.plan.problems")}>
          <ProblemList problems={problems} />
        </Alert>
      )}
      {changes.length > 0 && <Changes changes={changes} />}
    </>
  );
}

function Changes({ changes }: Pick<Plan, "changes">) {
  const { t } = useTranslation();
  const shown = changes.slice(0, mostShown);
  return (
    <>
      {shown.length < changes.length && (
        <Text size="sm">{t("registry.plan.shown", { shown: shown.length, number: changes.length })}</Text>
      )}
      <WideTable label={t("registry.plan.title")} minWidth={560} maxHeight={480}>
        <Table aria-label={t("registry.plan.title")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("registry.plan.record")}</Table.Th>
              <Table.Th>{t("registry.plan.action")}</Table.Th>
              <Table.Th>{t("registry.plan.fields")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(({ key, action, changes: fields }) => (
              <Table.Tr key={`${action} ${key}`}>
                <Table.Td translate="no">{key}</Table.Td>
                <Table.Td>{t(`registry.plan.${action}`)}</Table.Td>
                <Table.Td>
                  {fields.map((field) => (
                    <FieldLine key={field.field} change={field} />
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </>
  );
}

function FieldLine({ change: { field, from, to } }: { change: FieldChange }) {
  const { t } = useTranslation();
  const shown = (value: FieldChange["from"]) =>
    value === null ? t("registry.plan.blank") : Array.isArray(value) ? value.join(", ") : value;
  return <Text size="sm">{t("registry.plan.change", { field, from: shown(from), to: shown(to) })}</Text>;
}
