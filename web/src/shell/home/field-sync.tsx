import { Anchor, Badge, Group, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import { hearth } from "../../api/client.ts";
import { useOutbox } from "../../implementer/kpt/use-outbox.ts";
import { useSession } from "../../session/session.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Section } from "./section.tsx";
import { unsentByCampaign } from "./unsent.ts";

type Item = { key: string; count: number; text: string; to: string; search?: { status: string }; isRefused: boolean };

/** What the field has sent and Hearth does not have yet: records of phones, and the user's measurements on this device. */
export function FieldSync() {
  const { t } = useTranslation();
  const unsent = unsentByCampaign(useOutbox(), useSession().key?.holder.id);
  const { data, error, refetch } = useQuery({ queryKey: ["home", "records"], queryFn: countRecords, staleTime: 0 });
  const ofPhones = (["refused", "waiting"] as const).map((status) => {
    const count = data?.[status] ?? 0;
    const isRefused = status === "refused";
    return {
      key: status,
      count,
      text: t(`home.sync.${status}`, { count }),
      to: "/implementer/records",
      // Several statuses are on the way; the list has all of them.
      ...(isRefused ? { search: { status } } : {}),
      isRefused,
    };
  });
  const ofDevice = unsent.flatMap(({ campaignId, waiting, refused }) => {
    const to = `/implementer/measure/${encodeURIComponent(campaignId)}`;
    const parts = { unsent: waiting, notFiled: refused };
    return (["notFiled", "unsent"] as const).map((name) => {
      const count = parts[name];
      const text = t(`home.sync.${name}`, { count, name: campaignId });
      return { key: `${name} ${campaignId}`, count, text, to, isRefused: name === "notFiled" };
    });
  });
  const items: Item[] = [...ofPhones, ...ofDevice].filter(({ count }) => count > 0);
  return (
    <Section title={t("home.sync.title")}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && items.length === 0 && <Text size="sm">{t("home.sync.none")}</Text>}
      <List listStyleType="none" spacing={6}>
        {items.map(({ key, count, text, to, search, isRefused }) => (
          <List.Item key={key}>
            <Group gap="sm" wrap="nowrap" align="baseline">
              <Badge variant="light" color={isRefused ? "red" : "orange"} miw="2.5rem">
                {count}
              </Badge>
              <Anchor component={Link} {...({ to, search } as object)} size="sm">
                {text}
              </Anchor>
            </Group>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}

type Counts = { waiting: number; refused: number };

/** Count the records of phones that need something. None where this system takes no records of phones. @throws HearthError */
async function countRecords({ signal }: { signal: AbortSignal }): Promise<Counts> {
  const counts = { waiting: 0, refused: 0 };
  try {
    for await (const row of hearth.items("/v1/odk/progress", { query: { limit: 500 }, signal })) {
      counts.waiting += row.incomplete + row.received + row.waiting;
      counts.refused += row.refused;
    }
  } catch (error) {
    if (!(error instanceof HearthError) || error.status !== 404) throw error;
  }
  return counts;
}
