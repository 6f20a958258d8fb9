import { Paper, Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import type { FileStore } from "./file-store.ts";

type SearchProps = { store: FileStore; words: string; onOpen: (id: string) => void };

/** Text files that have all the words, with the lines that show them. */
export function SearchResults({ store, words, onOpen }: SearchProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: ["files", "search", store.owner, words],
    queryFn: () => store.search(words, "/"),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  if (data.items.length === 0) return <EmptyNotice text={t("files.search.none")} />;
  return (
    <Stack gap="xs" role="list" aria-label={t("files.search.results")}>
      {data.items.map(({ file, snippets }) => (
        <Paper key={file.id} withBorder role="listitem">
          <UnstyledButton p="sm" w="100%" onClick={() => onOpen(file.id)}>
            <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
              {file.path}
            </Text>
            {snippets.map(({ line, text }) => (
              <Text key={line} size="xs" c="dimmed" truncate>
                {line}: {text}
              </Text>
            ))}
          </UnstyledButton>
        </Paper>
      ))}
    </Stack>
  );
}
