import { useTranslation } from "react-i18next";
import { dateFormat } from "../i18n/formats.ts";
import { localeOf } from "../i18n/i18n.ts";

/** A time as text of ISO 8601 (UTC), such as for a file: seconds since 1970. */
export function timeText(seconds: string | number): string {
  return new Date(Number(seconds) * 1000).toISOString();
}

/** A day as `YYYY-MM-DD`, such as for a file: days since 1970-01-01. */
export function dateText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/** A time: `seconds` since 1970 (as text in the index) or ISO 8601 text; shown in the user's time zone. */
export function Moment({ at }: { at: string | number | bigint }) {
  const { i18n } = useTranslation();
  const date = typeof at === "string" && at.includes("-") ? new Date(at) : new Date(Number(at) * 1000);
  const text = dateFormat(localeOf(i18n.language), { dateStyle: "medium", timeStyle: "short" }).format(date);
  return <time dateTime={date.toISOString()}>{text}</time>;
}

/** A day: days since 1970-01-01, or `YYYY-MM-DD`. */
export function Day({ at }: { at: string | number }) {
  const { i18n } = useTranslation();
  const date =
    typeof at === "string" && at.includes("-") ? new Date(`${at}T00:00:00Z`) : new Date(Number(at) * 86_400_000);
  const text = dateFormat(localeOf(i18n.language), { dateStyle: "medium", timeZone: "UTC" }).format(date);
  return <time dateTime={date.toISOString().slice(0, 10)}>{text}</time>;
}
