import { Button, Stack, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CodeValue } from "../show/code-value.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { Moment } from "../show/moment.tsx";
import { WideTable } from "../show/wide-table.tsx";
import { useEventKind } from "./event-kind.ts";
import type { FileStore } from "./file-store.ts";
import type { FileMetadata } from "./file-types.ts";

/** Events of a file with the key that caused each, newest first. */
export function EventsView({ store, file }: { store: FileStore; file: FileMetadata }) {
  const { t } = useTranslation();
  const kindOf = useEventKind();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ["files", "events", store.owner, file.id, file.version],
    queryFn: ({ pageParam }) => store.events(file.id, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t("files.events.lead")}
      </Text>
      <WideTable label={t("files.events.title")} minWidth={420}>
        <Table aria-label={t("files.events.title")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("files.events.at")}</Table.Th>
              <Table.Th>{t("files.events.kind")}</Table.Th>
              <Table.Th>{t("files.events.by")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.pages
              .flatMap((page) => page.items)
              .map((event) => (
                <Table.Tr key={event.id}>
                  <Table.Td>
                    <Moment at={event.at} />
                  </Table.Td>
                  <Table.Td>{kindOf(event.kind)}</Table.Td>
                  <Table.Td>{event.invoker && <CodeValue value={event.invoker} shorten />}</Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("files.events.more")}
        </Button>
      )}
    </Stack>
  );
}
