import {
  Alert,
  Anchor,
  Button,
  Container,
  FileButton,
  Group,
  Loader,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconDownload, IconFile, IconUpload } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../wire/src/errors.ts";
import { queryClient } from "../api/query-client.ts";
import { Form } from "../forms/form.tsx";
import { isCodeLost } from "../offline/new-version.ts";
import { Preferences } from "../shell/preferences.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { Moment } from "../show/moment.tsx";
import { saveAs } from "../show/save-as.ts";
import { FileStore } from "./file-store.ts";
import type { FileMetadata } from "./file-types.ts";
import { formatBytes } from "./format-bytes.ts";
import { needsPassword, type OpenLink, openLink } from "./links/share-link.ts";
import { nameOf } from "./paths.ts";
import { Preview } from "./preview/preview.tsx";
import { fileSender } from "./upload/send-file.ts";
import { UploadList } from "./upload/upload-list.tsx";
import { UploadQueue } from "./upload/upload-queue.ts";

/** The page of a shared link: what it opens, without an account. */
export function SharedPage() {
  const { t } = useTranslation();
  const [fragment] = useState(() => window.location.hash.slice(1));
  const [password, setPassword] = useState("");
  const isAsked = needsPassword(fragment) && password === "";
  const link = useQuery({
    queryKey: ["shared", fragment, password],
    enabled: !isAsked,
    retry: false,
    gcTime: 0,
    queryFn: () => openLink(fragment, password),
  });
  const isWrong = link.isError && !isCodeLost(link.error);
  useEffect(() => {
    document.title = `${t("files.shared.title")} · ${t("common.name")}`;
  }, [t]);
  return (
    <main>
      <Group justify="flex-end" p="sm">
        <Preferences />
      </Group>
      <Container size="md" pb="xl">
        <Stack>
          <Group gap="sm">
            <img src="/console/hearth.svg" alt="" width={36} height={36} />
            <Title order={1} size="h2">
              {t("files.shared.title")}
            </Title>
          </Group>
          {(isAsked || (needsPassword(fragment) && isWrong)) && (
            <PasswordForm isWrong={isWrong} onPassword={setPassword} />
          )}
          {link.isLoading && <Loader aria-label={t("common.loading")} />}
          {isCodeLost(link.error) && <ErrorNotice error={link.error} />}
          {isWrong && !needsPassword(fragment) && <Alert color="orange">{t("files.shared.damaged")}</Alert>}
          {link.data !== undefined && <Shared link={link.data} />}
        </Stack>
      </Container>
    </main>
  );
}

function PasswordForm({ isWrong, onPassword }: { isWrong: boolean; onPassword: (password: string) => void }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { password: "" } });
  const open = {
    mutate: ({ password }: typeof form.values) => onPassword(password),
    isPending: false,
    error: null,
  };
  return (
    <Form form={form} work={open} submit={t("files.shared.open")} canSubmit={form.values.password !== ""} maw={400}>
      <Text>{t("files.shared.locked")}</Text>
      <PasswordInput
        label={t("files.link.password")}
        autoComplete="off"
        data-autofocus
        visibilityToggleButtonProps={{ "aria-label": t("files.link.showPassword") }}
        {...form.getInputProps("password")}
        error={isWrong && t("files.shared.wrongPassword")}
      />
    </Form>
  );
}

function Shared({ link }: { link: OpenLink }) {
  const { t } = useTranslation();
  const store = useMemo(() => new FileStore(link.key, false, link), [link]);
  const [shownId, setShownId] = useState<string>();
  const list = useInfiniteQuery({
    queryKey: ["shared", store.owner, link.path, "files"],
    retry: false,
    queryFn: ({ pageParam }) => store.below(link.path, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const files = list.data?.pages.flatMap((page) => page.items) ?? [];
  const isFile = files.length === 1 && files[0]?.path === link.path;
  const shown = isFile ? files[0] : files.find(({ id }) => id === shownId);
  if (list.error !== null) return <Refused error={list.error} onRetry={() => void list.refetch()} />;
  if (list.isPending) return <Loading />;
  return (
    <>
      <Text>
        {t(`files.shared.lead.${link.right}`)} {t("files.link.ends")} <Moment at={link.expiresAt} />
      </Text>
      {!isFile && (
        <>
          <FolderActions store={store} link={link} isEmpty={files.length === 0} />
          {files.length === 0 && <Text>{t("files.shared.empty")}</Text>}
          <Stack gap={4} component="ul" p={0} style={{ listStyle: "none" }}>
            {files.map((file) => (
              <FileRow key={file.id} file={file} folder={link.path} onShow={() => setShownId(file.id)} />
            ))}
          </Stack>
          {list.hasNextPage && (
            <Group>
              <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {t("files.events.more")}
              </Button>
            </Group>
          )}
        </>
      )}
      {shown !== undefined && <ShownFile key={shown.id} store={store} file={shown} />}
    </>
  );
}

/** Say why a link opens nothing: its owner revoked it, or it has expired. */
function Refused({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useTranslation();
  const isOver = error instanceof HearthError && (error.status === 401 || error.status === 403);
  return isOver ? (
    <Alert color="orange">{t("files.shared.over")}</Alert>
  ) : (
    <ErrorNotice error={error} onRetry={onRetry} />
  );
}

type FolderProps = { store: FileStore; link: OpenLink; isEmpty: boolean };

function FolderActions({ store, link, isEmpty }: FolderProps) {
  const { t } = useTranslation();
  const [queue] = useState(
    () =>
      new UploadQueue(
        fileSender(store),
        () => void queryClient.invalidateQueries({ queryKey: ["shared", store.owner] }),
      ),
  );
  const download = useMutation({
    mutationFn: async () =>
      saveAs(await (await store.folderZip(link.path)).blob(), `${nameOf(link.path) || "files"}.zip`),
  });
  const inFolder = (name: string) => `${link.path === "/" ? "" : link.path}/${name}`;
  return (
    <Stack gap="sm">
      <Group>
        {!isEmpty && (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            {t("files.shared.zip")}
          </Button>
        )}
        {link.right === "write" && (
          <FileButton multiple onChange={(chosen) => chosen.map((file) => queue.add(file, inFolder(file.name)))}>
            {(props) => (
              <Button leftSection={<IconUpload size={16} aria-hidden />} {...props}>
                {t("files.shared.upload")}
              </Button>
            )}
          </FileButton>
        )}
      </Group>
      {download.error !== null && <ErrorNotice error={download.error} />}
      <UploadList queue={queue} />
    </Stack>
  );
}

function FileRow({ file, folder, onShow }: { file: FileMetadata; folder: string; onShow: () => void }) {
  const { i18n } = useTranslation();
  const start = folder === "/" ? 1 : folder.length + 1;
  return (
    <Paper withBorder p="xs" component="li">
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Anchor component="button" type="button" onClick={onShow} size="sm" ta="start">
          <Group gap={6} wrap="nowrap">
            <IconFile size={16} aria-hidden style={{ flexShrink: 0 }} />
            <span translate="no" style={{ overflowWrap: "anywhere" }}>
              {file.path.slice(start)}
            </span>
          </Group>
        </Anchor>
        <Text size="xs" style={{ whiteSpace: "nowrap" }}>
          {formatBytes(file.size, i18n.language)}
        </Text>
      </Group>
    </Paper>
  );
}

function ShownFile({ store, file }: { store: FileStore; file: FileMetadata }) {
  const { t } = useTranslation();
  const download = useMutation({
    mutationFn: async () => saveAs(await (await store.content(file.id)).blob(), file.name),
  });
  return (
    <Paper withBorder p="md" component="section" aria-label={file.name}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4" translate="no" style={{ overflowWrap: "anywhere" }}>
            {file.name}
          </Title>
          <Button
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            {t("common.download")}
          </Button>
        </Group>
        {download.error !== null && <ErrorNotice error={download.error} />}
        <Preview store={store} file={file} />
      </Stack>
    </Paper>
  );
}
