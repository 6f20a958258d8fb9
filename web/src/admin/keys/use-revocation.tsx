import { Button } from "@mantine/core";
import { lazy, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import type { Column } from "../../table/data-table.tsx";
import { stateOf } from "./key-state.ts";

const RevokeDialog = lazy(async () => ({ default: (await import("./revoke-dialog.tsx")).RevokeDialog }));

type ApiKey = Schemas["ApiKey"];
type Options = {
  /** What the revocation means for these keys. */
  hint?: string;
  /** Key that is not offered: the reader's. */
  except?: string | undefined;
};

/** A column of a list of keys with a button that revokes a valid one, and the dialog that it opens. */
export function useRevocation({ hint, except }: Options = {}): { column: Column<ApiKey>; dialog: ReactNode } {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<ApiKey>();
  const column: Column<ApiKey> = {
    key: "revoke",
    header: t("people.action"),
    width: "7rem",
    cell: (row) =>
      stateOf(row) === "valid" &&
      row.id !== except && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${t("people.revoke")} ${row.name}`}
          onClick={() => setChosen(row)}
        >
          {t("people.revoke")}
        </Button>
      ),
  };
  const dialog = chosen !== undefined && (
    <WhenLoaded fallback={null}>
      <RevokeDialog apiKey={chosen} {...(hint === undefined ? {} : { hint })} onClose={() => setChosen(undefined)} />
    </WhenLoaded>
  );
  return { column, dialog };
}
