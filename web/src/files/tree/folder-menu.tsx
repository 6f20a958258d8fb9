import { Button } from "@mantine/core";
import { IconChevronDown, IconFolderCog } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { LazyMenu } from "../../show/lazy-menu.tsx";
import { saveAs } from "../../show/save-as.ts";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import type { FolderEntry } from "../file-types.ts";
import { nameOf } from "../paths.ts";
import type { OpenFiles } from "../use-file-store.ts";

const TrashFolderDialog = lazy(async () => ({
  default: (await import("../trash/trash-folder-dialog.tsx")).TrashFolderDialog,
}));
const ShareDialog = lazy(async () => ({ default: (await import("../links/share-dialog.tsx")).ShareDialog }));

type FolderMenuProps = OpenFiles & {
  folder: string;
  /** As the tree shows it; absent for the root. */
  entry: FolderEntry | undefined;
  onChanged: () => void;
};

/** Actions on a folder and all files below it. */
export function FolderMenu({ store, identity, folder, entry, onChanged }: FolderMenuProps) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<"share" | "trash">();
  const mark = useMutation({ mutationFn: (change: () => Promise<unknown>) => change(), onSuccess: onChanged });
  const zip = useMutation({
    mutationFn: async () => saveAs(await (await store.folderZip(folder)).blob(), `${nameOf(folder) || "files"}.zip`),
  });
  const { public: isPublic = false, hidden = false } = entry ?? {};
  const error = mark.error ?? zip.error;
  /** The root has none of these. */
  const ofFolder = [
    {
      label: t(isPublic ? "files.marks.unpublish" : "files.folder.publish"),
      onClick: () => mark.mutate(() => store.setFolderPublic(folder, !isPublic)),
    },
    {
      label: t(hidden ? "files.marks.unhide" : "files.folder.hide"),
      onClick: () => mark.mutate(() => store.setFolderHidden(folder, !hidden)),
    },
    { label: t("files.folder.trash"), onClick: () => setDialog("trash"), color: "red" },
  ];
  return (
    <>
      <LazyMenu
        target={
          <Button
            variant="default"
            loading={zip.isPending || mark.isPending}
            leftSection={<IconFolderCog size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            {t("files.folder.open", { folder })}
          </Button>
        }
        entries={[
          { label: t("files.folder.zip"), onClick: () => zip.mutate() },
          { label: t("files.share.open"), onClick: () => setDialog("share") },
          ...(entry === undefined ? [] : ofFolder),
        ]}
      />
      {error !== null && <ErrorNotice error={error} />}
      {dialog === "share" && (
        <WhenLoaded fallback={null}>
          <ShareDialog identity={identity} path={folder} onClose={() => setDialog(undefined)} />
        </WhenLoaded>
      )}
      {dialog === "trash" && (
        <WhenLoaded fallback={null}>
          <TrashFolderDialog
            {...{ store, folder }}
            onClose={(changed) => {
              setDialog(undefined);
              if (changed) onChanged();
            }}
          />
        </WhenLoaded>
      )}
    </>
  );
}
