import { useTranslation } from "react-i18next";
import type { TextKey } from "../i18n/i18n.ts";

/** What a check says, in the reader's language; one that is newer than the console in the server's own words. */
export function CheckTitle({ id, title }: { id: string; title: string }) {
  const { t, i18n } = useTranslation();
  const key = `checks.${id}` as Extract<TextKey, "checks.carbon-held">;
  return i18n.exists(key) ? <>{t(key)}</> : <span lang="en">{title}</span>;
}
