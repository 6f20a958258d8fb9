import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { localeOf } from "../../i18n/i18n.ts";

const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** The time from `asOf`, which is now on the chain, until a moment, such as "in 23 hours"; counts down. */
export function Countdown({ until, asOf }: { until: string; asOf: string }) {
  const { i18n } = useTranslation();
  const [passed, setPassed] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: counts again from each new `asOf`
  useEffect(() => {
    const began = performance.now();
    setPassed(0);
    const timer = window.setInterval(() => setPassed(performance.now() - began), 1_000);
    return () => window.clearInterval(timer);
  }, [asOf]);
  const seconds = Math.max(0, Math.round((Date.parse(until) - Date.parse(asOf) - passed) / 1_000));
  const [unit, size] = units.find(([, each]) => seconds >= each) ?? ["second", 1];
  const format = new Intl.RelativeTimeFormat(localeOf(i18n.language), { numeric: "always" });
  return <time dateTime={until}>{format.format(Math.floor(seconds / size), unit)}</time>;
}
