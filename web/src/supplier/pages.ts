import { IconCashRegister, IconChecklist, IconClockPause, IconCoin } from "@tabler/icons-react";
import { lazyRouteComponent } from "@tanstack/react-router";
import type { Page } from "../page.ts";

/** Load the code scanner, which else is loaded when the camera opens. */
async function loadScanner(): Promise<void> {
  const { codeReaderUrl, loadCodeReader } = await import("./scan/code-reader.ts");
  await Promise.all([loadCodeReader(), fetch(codeReaderUrl)]);
}

export const supplierPages: Page[] = [
  {
    path: "/supplier/redeem",
    area: "supplier",
    component: lazyRouteComponent(() => import("./redeem/redeem-page.tsx"), "RedeemPage"),
    offline: loadScanner,
    nav: { label: "supplier.redeem.title", icon: IconCashRegister },
  },
  {
    path: "/supplier/waiting",
    area: "supplier",
    component: lazyRouteComponent(() => import("./queue/queue-page.tsx"), "QueuePage"),
    offline: true,
    nav: { label: "supplier.queue.title", icon: IconClockPause },
  },
  {
    path: "/supplier/redemptions",
    area: "supplier",
    component: lazyRouteComponent(() => import("./redemptions-page.tsx"), "RedemptionsPage"),
    offline: true,
    nav: { label: "supplier.redemptions.title", icon: IconChecklist },
  },
  {
    path: "/supplier/claims",
    area: "supplier",
    component: lazyRouteComponent(() => import("./claims/claims-page.tsx"), "ClaimsPage"),
    offline: true,
    nav: { label: "supplier.claims.title", icon: IconCoin },
  },
  {
    path: "/supplier/claim/$redemptionId",
    area: "supplier",
    component: lazyRouteComponent(() => import("./claims/claim-page.tsx"), "ClaimPage"),
    offline: true,
  },
];
