import { useTranslation } from "react-i18next";
import type { FileStore } from "../file-store.ts";
import { allOf } from "./all-files.ts";
import { BatchDialog } from "./batch-dialog.tsx";

type TrashFolderProps = { store: FileStore; folder: string; onClose: (changed: boolean) => void };

/** Move all files below a folder to the trash; hidden files only while they are shown. */
export function TrashFolderDialog({ store, folder, onClose }: TrashFolderProps) {
  const { t } = useTranslation();
  const below = async () => {
    const files = await allOf((cursor) => store.below(folder, cursor));
    // A file may have the same path as the folder; it is not below the folder.
    return files.filter(({ path }) => path !== folder);
  };
  return (
    <BatchDialog
      queryKey={["files", "below", store.owner, folder]}
      read={below}
      work={(ids) => store.trashMany(ids)}
      texts={{
        title: t("files.folder.trashTitle", { folder }),
        lead: t("files.folder.trashLead"),
        submit: t("files.trash.move"),
      }}
      onClose={onClose}
    />
  );
}
