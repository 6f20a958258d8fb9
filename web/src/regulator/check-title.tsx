import { useTranslation } from "react-i18next";
import type { TextKey } from "../i18n/i18n.ts";

/** Title of a check in the reader's language; the server's English for a check that is unknown here. */
export function CheckTitle({ id, title }: { id: string; title: string }) {
  const { t, i18n } = useTranslation();
  const key = `checks.${id}` as Extract<TextKey, "checks.carbon-held">;
  return i18n.exists(key) ? <>{t(key)}</> : <span lang="en">{title}</span>;
}
