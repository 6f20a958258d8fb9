import { useOraclesContext } from "@hearth/oracles-client-sdk";
import { Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AnswerOf } from "../../../wire/src/routes.ts";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import type { OracleAddress } from "./oracle-provider.tsx";

const names = [
  "agentName",
  "userName",
  "language",
  "tone",
  "length",
  "format",
  "formality",
  "customInstructions",
] as const;

type Preferences = AnswerOf<"get", "/user-preferences">;

/** The user's preferences for the oracle. They can be changed only in conversation. */
export function PreferencesDialog({ oracleDid, overrides, onClose }: OracleAddress & { onClose: () => void }) {
  const { t } = useTranslation();
  const { clientOf, wallet } = useOraclesContext();
  const { data, error, isPending } = useQuery({
    queryKey: ["chat", "preferences", wallet.did],
    queryFn: () => clientOf(oracleDid, overrides.baseUrl).request<Preferences>("GET", "/user-preferences"),
    staleTime: 0,
  });
  const set = names.filter((name) => data?.[name] !== undefined && data[name] !== "");
  return (
    <Dialog title={t("chat.preferences.title")} onClose={onClose}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t("chat.preferences.lead")}
        </Text>
        {error !== null && <ErrorNotice error={error} />}
        {isPending && <Loading />}
        {!isPending && error === null && set.length === 0 && <Text>{t("chat.preferences.none")}</Text>}
        {set.length > 0 && (
          <Table aria-label={t("chat.preferences.title")}>
            <Table.Tbody>
              {set.map((name) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row">{t(`chat.preferences.${name}`)}</Table.Th>
                  <Table.Td>{data?.[name]}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Stack>
    </Dialog>
  );
}
