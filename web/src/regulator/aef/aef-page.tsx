import { Autocomplete, Group, NumberInput, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { Form } from "../../forms/form.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { useParties } from "../reports/use-parties.ts";
import { AefTables } from "./aef-tables.tsx";
import { Downloads } from "./downloads.tsx";
import type { ReportQuery } from "./report.ts";
import { Validation } from "./validation.tsx";

/** AEF tables of a Party and a year, with their problems and downloads. */
export function AefPage() {
  const { t } = useTranslation();
  const [query, setQuery] = useState<ReportQuery>();
  const report = useQuery({
    queryKey: ["regulator", "aef", query],
    queryFn: query && (({ signal }) => hearth.get("/reports/aef", { query, signal })),
    enabled: query !== undefined,
  });
  return (
    <PageFrame title={t("regulator.aef.title")} lead={t("regulator.aef.lead")}>
      <QueryForm onAsk={setQuery} isAsking={report.isFetching} />
      {report.isLoading && <Loading />}
      {report.isError && <ErrorNotice error={report.error} onRetry={() => report.refetch()} />}
      {report.data && query && (
        <>
          <Validation report={report.data} />
          <Downloads query={query} isRefused={report.data.validation.length > 0} />
          <AefTables tables={report.data.tables} />
        </>
      )}
    </PageFrame>
  );
}

function QueryForm({ onAsk, isAsking }: { onAsk: (query: ReportQuery) => void; isAsking: boolean }) {
  const { t } = useTranslation();
  const parties = useParties();
  const form = useForm({
    initialValues: { party: "", year: new Date().getUTCFullYear(), keys: "technical", version: "1.0" },
    validate: { party: (value) => (/^[A-Z]{3}$/.test(value) ? null : t("regulator.aef.partyHint")) },
  });
  const work = {
    mutate: ({ year, ...rest }: typeof form.values) => onAsk({ ...rest, year: String(year) }),
    isPending: isAsking,
    error: null,
  };
  return (
    <Form form={form} work={work} submit={t("regulator.aef.show")} inline>
      <Group align="flex-start" gap="sm">
        <Autocomplete
          label={t("regulator.aef.party")}
          placeholder="ZMB"
          data={parties}
          maxLength={3}
          w={110}
          required
          {...form.getInputProps("party")}
          onChange={(party) => form.setFieldValue("party", party.toUpperCase())}
        />
        <NumberInput
          label={t("regulator.aef.year")}
          min={2021}
          max={2100}
          w={110}
          allowDecimal={false}
          thousandSeparator=""
          {...form.getInputProps("year")}
        />
        <TextInput label={t("regulator.aef.version")} w={170} {...form.getInputProps("version")} />
        <Select
          label={t("regulator.aef.keys")}
          w={190}
          allowDeselect={false}
          data={[
            { value: "technical", label: t("regulator.aef.technical") },
            { value: "cad-trust", label: t("regulator.aef.cadTrust") },
          ]}
          {...form.getInputProps("keys")}
        />
      </Group>
    </Form>
  );
}
