import { IconCashRegister, IconChecklist, IconClockPause, IconCoin } from "@tabler/icons-react";
import { lazyRouteComponent } from "@tanstack/react-router";
import type { Page } from "../page.ts";

export const supplierPages: Page[] = [
  {
    path: "/supplier/redeem",
    area: "supplier",
    component: lazyRouteComponent(() => import("./redeem/redeem-page.tsx"), "RedeemPage"),
    nav: { label: "supplier.redeem.title", icon: IconCashRegister },
  },
  {
    path: "/supplier/waiting",
    area: "supplier",
    component: lazyRouteComponent(() => import("./queue/queue-page.tsx"), "QueuePage"),
    nav: { label: "supplier.queue.title", icon: IconClockPause },
  },
  {
    path: "/supplier/redemptions",
    area: "supplier",
    component: lazyRouteComponent(() => import("./redemptions-page.tsx"), "RedemptionsPage"),
    nav: { label: "supplier.redemptions.title", icon: IconChecklist },
  },
  {
    path: "/supplier/claims",
    area: "supplier",
    component: lazyRouteComponent(() => import("./claims/claims-page.tsx"), "ClaimsPage"),
    nav: { label: "supplier.claims.title", icon: IconCoin },
  },
  {
    path: "/supplier/claim/$redemptionId",
    area: "supplier",
    component: lazyRouteComponent(() => import("./claims/claim-page.tsx"), "ClaimPage"),
  },
];
