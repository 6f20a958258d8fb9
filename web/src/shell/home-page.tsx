import { Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { passkeyOffer } from "../session/can-use-passkeys.ts";
import { type Role, useSession } from "../session/session.ts";
import { kept } from "../session/vault.ts";
import { PageFrame } from "../show/page-frame.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import { FirstSteps } from "./first-steps.tsx";

// Keeps the first load small.
const HomeFigures = lazy(async () => ({ default: (await import("./home/home-figures.tsx")).HomeFigures }));
const OfferPasskey = lazy(async () => ({ default: (await import("./offer-passkey.tsx")).OfferPasskey }));

/** The figures of the person's role, what waits to be done, and the role's first action. */
export function HomePage() {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  return (
    <PageFrame title={t("shell.welcome")} lead={t(leadOf(role))} actions={<MainAction role={role} />}>
      {kept(passkeyOffer) === true && (
        <WhenLoaded fallback={null}>
          <OfferPasskey />
        </WhenLoaded>
      )}
      <FirstSteps />
      <WhenLoaded>
        <HomeFigures />
      </WhenLoaded>
    </PageFrame>
  );
}

function leadOf(role: Role | undefined) {
  return role === "supplier" || role === "implementer" ? (`home.lead.${role}` as const) : "home.lead.scheme";
}

/** The page that a role opens first. */
function MainAction({ role }: { role: Role | undefined }) {
  const { t } = useTranslation();
  const action =
    role === "supplier"
      ? { to: "/supplier/redeem", text: t("nav.supplier.redeem") }
      : role === "implementer"
        ? { to: "/implementer/campaigns", text: t("nav.implementer.campaigns") }
        : { to: "/regulator/trace", text: t("nav.regulator.trace") };
  return (
    <Group>
      <Button component={Link} to={action.to}>
        {action.text}
      </Button>
    </Group>
  );
}
