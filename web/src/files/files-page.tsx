import { Button, FileButton, Group, Switch, TextInput } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { IconFilePlus, IconFolderUp, IconRefresh, IconSearch, IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ComponentProps, lazy, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePanel } from "../chat/panel-store.ts";
import { KeyNotice } from "../identity/key-notice.tsx";
import { useStore } from "../session/use-store.ts";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import type { FolderEntry, TreeEntry } from "./file-types.ts";
import classes from "./files.module.css";
import { parentOf, uploadPath } from "./paths.ts";
import { DropArea } from "./tree/drop-area.tsx";
import { FileTree } from "./tree/file-tree.tsx";
import { FolderMenu } from "./tree/folder-menu.tsx";
import { FolderTree } from "./tree/folder-tree.ts";
import { fileSender } from "./upload/send-file.ts";
import { UploadList } from "./upload/upload-list.tsx";
import { UploadQueue } from "./upload/upload-queue.ts";
import { UsageBar } from "./usage-bar.tsx";
import { type OpenFiles, useFileStore, useReveal } from "./use-file-store.ts";

const FileDetails = lazy(async () => ({ default: (await import("./file-details.tsx")).FileDetails }));
const SearchResults = lazy(async () => ({ default: (await import("./search-results.tsx")).SearchResults }));
const NewFileDialog = lazy(async () => ({ default: (await import("./tree/new-file-dialog.tsx")).NewFileDialog }));

/** The user's files: a tree, and next to it the open file. */
export function FilesPage() {
  const { t } = useTranslation();
  const { files, error } = useFileStore();
  return (
    <PageFrame title={t("files.title")} lead={t("files.lead")}>
      {error === undefined && <KeyNotice />}
      {error !== undefined && <ErrorNotice error={error} />}
      {files === undefined && error === undefined && <Loading />}
      {files !== undefined && <Browser key={`${files.store.owner} ${files.identity.keeping}`} {...files} />}
    </PageFrame>
  );
}

function Browser({ store, identity }: OpenFiles) {
  const { t } = useTranslation();
  const { selected, select } = useSelectedFile();
  const [folder, setFolder] = useState("/");
  const [isCreating, setCreating] = useState(false);
  const [words, setWords] = useState("");
  const [searched] = useDebouncedValue(words.trim(), 300);
  // The oracle's panel leaves space for one column, unless the window is large.
  const { isOpen: hasPanel } = usePanel();
  const width = hasPanel ? "(min-width: 88em)" : "(min-width: 62em)";
  const isWide = useMediaQuery(width, true, { getInitialValueInEffect: false });
  const { tree, queue, refresh } = useTree(store);
  const entry = useFolderEntry(tree, folder);

  const choose = (entry: TreeEntry) => {
    setFolder(entry.kind === "folder" ? entry.path : parentOf(entry.path));
    if (entry.kind === "file") select(entry.id);
  };
  const upload = (dropped: File[]) => {
    for (const file of dropped) queue.add(file, uploadPath(folder, file));
  };
  const changed = (gone = false) => {
    if (gone) select(undefined);
    void refresh();
  };
  const list =
    searched === "" ? (
      <FileTree tree={tree} selected={selected} onChoose={choose} />
    ) : (
      <WhenLoaded>
        <SearchResults store={store} words={searched} onOpen={select} />
      </WhenLoaded>
    );
  const showList = isWide || selected === undefined;
  const showDetails = isWide || selected !== undefined;
  return (
    <>
      {showList && (
        <Group gap="sm" align="flex-end">
          <TextInput
            flex="1 1 14rem"
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
            aria-label={t("files.search.label")}
            placeholder={t("files.search.label")}
            leftSection={<IconSearch size={16} aria-hidden />}
          />
          <FolderMenu {...{ store, identity, folder, entry }} onChanged={() => changed()} />
          <Actions folder={folder} onUpload={upload} onCreate={() => setCreating(true)} onRefresh={() => changed()} />
        </Group>
      )}
      {showList && <UsageBar store={store} />}
      <UploadList queue={queue} />
      <div className={classes.split} data-wide={isWide || undefined}>
        {showList && (
          <DropArea label={t("files.upload.drop", { folder })} onDrop={upload}>
            {list}
          </DropArea>
        )}
        {showDetails && (
          <section className={classes.details} aria-label={t("common.details")}>
            {selected === undefined ? (
              <EmptyNotice text={t("files.details.none")} />
            ) : (
              <WhenLoaded>
                <FileDetails
                  key={selected}
                  {...{ store, identity }}
                  id={selected}
                  onChanged={changed}
                  onClose={isWide ? undefined : () => select(undefined)}
                />
              </WhenLoaded>
            )}
          </section>
        )}
      </div>
      {isCreating && (
        <WhenLoaded fallback={null}>
          <NewFileDialog
            {...{ store, folder }}
            onClose={(made) => {
              setCreating(false);
              if (made === undefined) return;
              void refresh().then(() => tree.reveal(made.path));
              select(made.id);
            }}
          />
        </WhenLoaded>
      )}
    </>
  );
}

/** Let the browser's dialog choose a folder with all its files. */
const wholeFolder = { webkitdirectory: "" } as ComponentProps<"input">;

type ActionProps = { folder: string; onUpload: (files: File[]) => void; onCreate: () => void; onRefresh: () => void };

function Actions({ folder, onUpload, onCreate, onRefresh }: ActionProps) {
  const { t } = useTranslation();
  const [reveal, setReveal] = useReveal();
  return (
    <Group gap="xs">
      <FileButton onChange={onUpload} multiple>
        {(props) => (
          <Button {...props} leftSection={<IconUpload size={16} aria-hidden />}>
            {t("files.upload.into", { folder })}
          </Button>
        )}
      </FileButton>
      <FileButton onChange={onUpload} multiple inputProps={wholeFolder}>
        {(props) => (
          <Button {...props} variant="default" leftSection={<IconFolderUp size={16} aria-hidden />}>
            {t("files.upload.folder")}
          </Button>
        )}
      </FileButton>
      <Button variant="default" leftSection={<IconFilePlus size={16} aria-hidden />} onClick={onCreate}>
        {t("files.create.open")}
      </Button>
      <Button variant="default" px="xs" onClick={onRefresh} aria-label={t("files.refresh")}>
        <IconRefresh size={18} />
      </Button>
      <Switch
        label={t("files.marks.reveal")}
        checked={reveal}
        onChange={(event) => setReveal(event.currentTarget.checked)}
      />
    </Group>
  );
}

/** The folder as its parent lists it; undefined for the root, and when it no longer exists. */
function useFolderEntry(tree: FolderTree, folder: string): FolderEntry | undefined {
  const { folders } = useStore(tree.subscribe, tree.state);
  const siblings = folders.get(parentOf(folder))?.entries ?? [];
  return siblings.find((each): each is FolderEntry => each.kind === "folder" && each.path === folder);
}

/** The open file's id is in the URL, so that reload and the back button work; its path is not. */
function useSelectedFile() {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { file?: unknown };
  const selected = typeof search.file === "string" ? search.file : undefined;
  const select = (file: string | undefined) => void navigate({ to: "/files/browse", search: { file } as never });
  return { selected, select };
}

function useTree(store: OpenFiles["store"]) {
  const queryClient = useQueryClient();
  const tree = useMemo(() => new FolderTree(store), [store]);
  const refresh = useMemo(
    () => async () => {
      await Promise.all([
        tree.refresh(),
        queryClient.invalidateQueries({ queryKey: ["files", "usage"] }),
        queryClient.invalidateQueries({ queryKey: ["files", "file"] }),
        queryClient.invalidateQueries({ queryKey: ["files", "search"] }),
      ]);
    },
    [tree, queryClient],
  );
  const queue = useMemo(() => new UploadQueue(fileSender(store), () => void refresh()), [store, refresh]);
  useEffect(() => void tree.refresh(), [tree]);
  return { tree, queue, refresh };
}
