import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { lazyPart } from "../../lazy-part.ts";
import { PageFrame } from "../../show/page-frame.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { ProgramKeyList } from "./program-key-list.tsx";

const KeyDialog = lazyPart("admin/keys", () => import("./key-dialog.tsx"), "KeyDialog");
const ShownKey = lazyPart("admin/keys", () => import("./shown-key.tsx"), "ShownKey");

/** Keys of integrators: make one with its scopes, list them with their last use, and revoke them. */
export function KeysPage() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Schemas["CreatedApiKey"]>();
  return (
    <PageFrame
      title={t("nav.admin.keys")}
      lead={t("keys.lead")}
      actions={<Button onClick={() => setOpen(true)}>{t("keys.add")}</Button>}
    >
      <ProgramKeyList />
      {isOpen && (
        <WhenLoaded fallback={null}>
          <KeyDialog onMade={setMade} onClose={() => setOpen(false)} />
        </WhenLoaded>
      )}
      {made !== undefined && (
        <WhenLoaded fallback={null}>
          <ShownKey made={made} onClose={() => setMade(undefined)} />
        </WhenLoaded>
      )}
    </PageFrame>
  );
}
