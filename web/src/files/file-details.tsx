import { Badge, Button, Group, Menu, Stack, Tabs, Text, Title } from "@mantine/core";
import { IconArrowLeft, IconDots, IconDownload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Identity } from "../identity/identity-store.ts";
import { CodeValue } from "../show/code-value.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { Moment } from "../show/moment.tsx";
import { saveAs } from "../show/save-as.ts";
import { WhenLoaded } from "../show/when-loaded.tsx";
import { EventsView } from "./events-view.tsx";
import type { FileStore } from "./file-store.ts";
import type { FileMetadata } from "./file-types.ts";
import { formatBytes } from "./format-bytes.ts";
import { Preview } from "./preview/preview.tsx";
import { isEditable } from "./preview/preview-kind.ts";
import { PurgeDialog } from "./trash/purge-dialog.tsx";
import { MoveDialog } from "./tree/move-dialog.tsx";

const TextEditor = lazy(async () => ({ default: (await import("./text/text-editor.tsx")).TextEditor }));
const VersionsView = lazy(async () => ({ default: (await import("./versions/versions-view.tsx")).VersionsView }));
const ShareDialog = lazy(async () => ({ default: (await import("./links/share-dialog.tsx")).ShareDialog }));

type DetailsProps = {
  store: FileStore;
  identity: Identity;
  id: string;
  /** Something that the tree shows has changed; `gone`: the file no longer exists. */
  onChanged: (gone?: boolean) => void;
  /** Given when the details replace the list on the page. */
  onClose?: (() => void) | undefined;
};

/** One file: metadata, preview, versions, history, and actions. */
export function FileDetails({ store, identity, id, onChanged, onClose }: DetailsProps) {
  const queryClient = useQueryClient();
  const queryKey = ["files", "file", store.owner, id];
  const { data: file, error, refetch } = useQuery({ queryKey, queryFn: () => store.file(id) });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (file === undefined) return <Loading />;
  const show = (changed: FileMetadata) => {
    queryClient.setQueryData(queryKey, changed);
    onChanged();
  };
  return (
    <Stack gap="md">
      <Head {...{ store, identity, file, onClose, onChanged }} onShow={show} />
      <Facts file={file} />
      <Tabs defaultValue="preview" keepMounted={false}>
        <Sections {...{ store, file }} onShow={show} />
      </Tabs>
    </Stack>
  );
}

type SectionProps = { store: FileStore; file: FileMetadata; onShow: (file: FileMetadata) => void };

function Sections({ store, file, onShow }: SectionProps) {
  const { t } = useTranslation();
  const canEdit = isEditable(file);
  return (
    <>
      <Tabs.List mb="md">
        <Tabs.Tab value="preview">{t("files.preview.title")}</Tabs.Tab>
        {canEdit && <Tabs.Tab value="edit">{t("files.edit.title")}</Tabs.Tab>}
        <Tabs.Tab value="versions">{t("files.versions.title")}</Tabs.Tab>
        <Tabs.Tab value="events">{t("files.events.title")}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="preview">
        <Preview {...{ store, file }} />
      </Tabs.Panel>
      {canEdit && (
        <Tabs.Panel value="edit">
          <WhenLoaded>
            <TextEditor {...{ store, file }} onSaved={onShow} />
          </WhenLoaded>
        </Tabs.Panel>
      )}
      <Tabs.Panel value="versions">
        <WhenLoaded>
          <VersionsView {...{ store, file }} onChanged={onShow} />
        </WhenLoaded>
      </Tabs.Panel>
      <Tabs.Panel value="events">
        <EventsView {...{ store, file }} />
      </Tabs.Panel>
    </>
  );
}

function Facts({ file }: { file: FileMetadata }) {
  const { t, i18n } = useTranslation();
  return (
    <Group gap="md" fz="sm">
      <span>{formatBytes(file.size, i18n.language)}</span>
      <span>{file.mimeType}</span>
      <span>
        {t("files.details.version", { version: file.version })} · <Moment at={file.updatedAt} />
      </span>
      {file.public && <Badge variant="outline">{t("files.marks.public")}</Badge>}
      {file.hiddenEffective && (
        <Badge variant="outline" color="gray">
          {t("files.marks.hidden")}
        </Badge>
      )}
      <CodeValue value={file.cid} shorten />
    </Group>
  );
}

type HeadProps = SectionProps & Pick<DetailsProps, "identity" | "onClose" | "onChanged">;

function Head({ store, identity, file, onShow, onClose, onChanged }: HeadProps) {
  const { t } = useTranslation();
  const download = useMutation({
    mutationFn: async () => saveAs(await (await store.content(file.id)).blob(), file.name),
  });
  return (
    <Stack gap="xs">
      {onClose !== undefined && (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconArrowLeft size={16} aria-hidden />}
          onClick={onClose}
          style={{ alignSelf: "flex-start" }}
        >
          {t("files.details.back")}
        </Button>
      )}
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Title order={2} size="h3" style={{ overflowWrap: "anywhere" }}>
            {file.name}
          </Title>
          <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {file.path}
          </Text>
        </div>
        <Group gap="xs" wrap="nowrap">
          <Button
            variant="default"
            loading={download.isPending}
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => download.mutate()}
          >
            {t("common.download")}
          </Button>
          <FileMenu {...{ store, identity, file, onShow, onChanged }} />
        </Group>
      </Group>
      {download.error !== null && <ErrorNotice error={download.error} />}
    </Stack>
  );
}

type MenuProps = SectionProps & Pick<DetailsProps, "identity" | "onChanged">;

function FileMenu({ store, identity, file, onShow, onChanged }: MenuProps) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<"move" | "share" | "purge">();
  const mark = useMutation({ mutationFn: (change: () => Promise<FileMetadata>) => change(), onSuccess: onShow });
  const trash = useMutation({ mutationFn: () => store.trash(file.id), onSuccess: () => onChanged(true) });
  const error = mark.error ?? trash.error;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label={t("files.details.more")}>
            <IconDots size={18} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog("share")}>{t("files.share.open")}</Menu.Item>
          <Menu.Item onClick={() => setDialog("move")}>{t("files.move.title")}</Menu.Item>
          <Menu.Item onClick={() => mark.mutate(() => store.setPublic(file.id, !file.public))}>
            {t(file.public ? "files.marks.unpublish" : "files.marks.publish")}
          </Menu.Item>
          <Menu.Item onClick={() => mark.mutate(() => store.setHidden(file.id, !file.hidden))}>
            {t(file.hidden ? "files.marks.unhide" : "files.marks.hide")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={() => trash.mutate()}>{t("files.trash.move")}</Menu.Item>
          <Menu.Item color="red" onClick={() => setDialog("purge")}>
            {t("files.purge.open")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {error !== null && <ErrorNotice error={error} />}
      {dialog === "share" && (
        <WhenLoaded fallback={null}>
          <ShareDialog
            {...{ identity }}
            path={file.path}
            publicUrl={file.publicUrl}
            onClose={() => setDialog(undefined)}
          />
        </WhenLoaded>
      )}
      {dialog === "move" && (
        <MoveDialog
          {...{ store, file }}
          onClose={(moved) => {
            setDialog(undefined);
            if (moved !== undefined) onShow(moved);
          }}
        />
      )}
      {dialog === "purge" && (
        <PurgeDialog
          {...{ store, file }}
          onClose={(purged) => {
            setDialog(undefined);
            if (purged) onChanged(true);
          }}
        />
      )}
    </>
  );
}
