import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { TextKey } from "../../i18n/i18n.ts";

/** What leads from one step to the next, in the reader's words; one that is newer than the console as the index says it. */
export function useRelation(): (relation: string) => string {
  const { t, i18n } = useTranslation();
  return useCallback(
    (relation: string) => {
      const key = `relation.${relation}`;
      return i18n.exists(key) ? t(key as TextKey) : relation;
    },
    [t, i18n],
  );
}
