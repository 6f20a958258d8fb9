import { useTranslation } from "react-i18next";
import type { Texts } from "../i18n/texts.ts";

type Known = keyof Texts["files"]["kinds"];

const texts: Record<string, Known> = {
  "file.created": "created",
  "content.written": "written",
  edit: "edited",
  "version.restored": "versionRestored",
  moved: "moved",
  trashed: "trashed",
  restored: "restored",
  "hidden.changed": "hidden",
  "public.changed": "public",
  label: "label",
  pruned: "pruned",
  purged: "purged",
  "cap.rejected": "capRejected",
  read: "read",
  "public.read": "publicRead",
  "token.revoked": "revoked",
};

/** Return a function that names a kind of event in the user's language; an unknown kind stays unchanged. */
export function useEventKind(): (kind: string) => string {
  const { t } = useTranslation();
  return (kind) => {
    const known = texts[kind];
    return known === undefined ? kind : t(`files.kinds.${known}`);
  };
}
