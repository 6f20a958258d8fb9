import { Group, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { Form } from "../../forms/form.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { useAddressTexts } from "../../table/use-address.ts";
import { PartyFields, partyQueryOf, usePartyForm } from "../reports/party-form.tsx";
import { AefTables } from "./aef-tables.tsx";
import { Downloads } from "./downloads.tsx";
import type { ReportQuery } from "./report.ts";
import { Validation } from "./validation.tsx";

/** AEF tables of a Party and a year, with their problems and downloads. */
export function AefPage() {
  const { t } = useTranslation();
  const [given, setQuery] = useAddressTexts(["party", "year", "keys", "version"]);
  const chosen = partyQueryOf(given);
  const query: ReportQuery | undefined = chosen && { keys: "technical", version: "1.0", ...given, ...chosen };
  const report = useQuery({
    queryKey: ["regulator", "aef", query],
    queryFn: query && (({ signal }) => hearth.get("/reports/aef", { query, signal })),
    enabled: query !== undefined,
  });
  return (
    <PageFrame title={t("regulator.aef.title")} lead={t("regulator.aef.lead")}>
      <QueryForm given={given} onAsk={setQuery} isAsking={report.isFetching} />
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

type QueryFormProps = { given: Partial<ReportQuery>; onAsk: (query: ReportQuery) => void; isAsking: boolean };

function QueryForm({ given, onAsk, isAsking }: QueryFormProps) {
  const { t } = useTranslation();
  const { keys = "technical", version = "1.0" } = given;
  const form = usePartyForm({ keys, version }, given);
  const work = {
    mutate: ({ year, ...rest }: typeof form.values) => onAsk({ ...rest, year: String(year) }),
    isPending: isAsking,
    error: null,
  };
  return (
    <Form form={form} work={work} submit={t("regulator.aef.show")} inline>
      <Group align="flex-start" gap="sm">
        <PartyFields form={form} setParty={(party) => form.setFieldValue("party", party)} withYear />
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
