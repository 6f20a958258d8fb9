import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadTexts } from "../i18n/i18n.ts";

/** Why the API refused something, by a code that names the sentence and the values in it, or in English only. */
type Reason = {
  code?: string | undefined;
  values?: Record<string, string | number> | undefined;
  message: string;
};
type Said = { text: string; isTranslated: boolean };

/** Return a function that says a reason in the reader's language; one without a known code is said in English. */
export function useReasonText(): (reason: Reason) => Said {
  const { t, i18n } = useTranslation();
  return ({ code, values = {}, message }) => {
    const key = `reasons.${code}`;
    if (code === undefined || !i18n.exists(key)) return { text: message, isTranslated: false };
    const { fuel, group } = values;
    const fuelKey = `implementer.fuel.${fuel}`;
    const groupKey = `implementer.group.${group}`;
    const named = {
      ...values,
      ...(i18n.exists(fuelKey) && { fuel: t(fuelKey as "implementer.fuel.wood").toLocaleLowerCase() }),
      ...(i18n.exists(groupKey) && { group: t(groupKey as "implementer.group.reference") }),
    };
    return {
      text: t(key as "reasons.not-photo", named as unknown as { name: string }),
      isTranslated: true,
    };
  };
}

/**
 * Load the sentences of these reasons, which most pages never need; the API's own are English. Until then, and without a network, they
 * are said in English.
 */
export function useTextsOfReasons(reasons: readonly Reason[]): void {
  const { i18n } = useTranslation();
  const [, setLoaded] = useState(false);
  const areNeeded = i18n.language !== "en" && reasons.some(({ code }) => code !== undefined);
  useEffect(() => {
    if (!areNeeded) return;
    loadTexts(["reasons"]).then(
      () => setLoaded(true),
      () => setLoaded(false),
    );
  }, [areNeeded]);
}
