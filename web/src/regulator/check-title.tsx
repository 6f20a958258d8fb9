import { useTranslation } from "react-i18next";
import type { TextKey } from "../i18n/i18n.ts";

/** The title of a check in the user's language; for a check that the console does not know, the server's title. */
export function CheckTitle({ id, title }: { id: string; title: string }) {
  const { t, i18n } = useTranslation();
  const key = `checks.${id}` as Extract<TextKey, "checks.carbon-held">;
  return i18n.exists(key) ? <>{t(key)}</> : <span lang="en">{title}</span>;
}
