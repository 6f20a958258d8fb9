import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { TextKey } from "../../i18n/i18n.ts";

/** Return a function that names the relation of two nodes in the user's language; an unknown relation stays unchanged. */
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
