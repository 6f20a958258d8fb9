import {
  IconCalendarCheck,
  IconCashRegister,
  IconChecklist,
  IconClockPause,
  IconCoin,
  IconDeviceMobileDollar,
} from "@tabler/icons-react";
import { lazyPage } from "../lazy-page.ts";
import type { Page } from "../page.ts";
import { loadOrders } from "./redeem/load-orders.ts";

/** Load the form, and the code scanner, which is otherwise loaded when the camera opens. */
async function loadTill(): Promise<void> {
  const [{ codeReaderUrl, loadCodeReader }] = await Promise.all([import("./scan/code-reader.ts"), loadOrders()]);
  await Promise.all([loadCodeReader(), fetch(codeReaderUrl)]);
}

export const supplierPages: Page[] = [
  {
    path: "/supplier/redeem",
    area: "supplier",
    component: lazyPage("supplier", () => import("./redeem/redeem-page.tsx"), "RedeemPage"),
    offline: loadTill,
    nav: { label: "nav.supplier.redeem", icon: IconCashRegister },
  },
  {
    path: "/supplier/waiting",
    area: "supplier",
    component: lazyPage("supplier", () => import("./queue/queue-page.tsx"), "QueuePage"),
    offline: true,
    nav: { label: "nav.supplier.queue", icon: IconClockPause },
  },
  {
    path: "/supplier/redemptions",
    area: "supplier",
    component: lazyPage("supplier", () => import("./redemptions-page.tsx"), "RedemptionsPage"),
    offline: true,
    nav: { label: "nav.supplier.redemptions", icon: IconChecklist },
  },
  {
    path: "/supplier/claims",
    area: "supplier",
    component: lazyPage("supplier", () => import("./claims/claims-page.tsx"), "ClaimsPage"),
    offline: true,
    nav: { label: "nav.supplier.claims", icon: IconCoin },
  },
  {
    path: "/supplier/payouts",
    area: "supplier",
    component: lazyPage("supplier/payouts", () => import("./payouts/payouts-page.tsx"), "PayoutsPage"),
    nav: { label: "nav.supplier.payouts", icon: IconDeviceMobileDollar },
  },
  {
    path: "/supplier/day",
    area: "supplier",
    component: lazyPage("supplier", () => import("./day/day-page.tsx"), "DayPage"),
    offline: true,
    nav: { label: "nav.supplier.day", icon: IconCalendarCheck },
  },
  {
    path: "/supplier/receipt/$redemptionId",
    area: "supplier",
    component: lazyPage("supplier", () => import("./receipt/receipt-page.tsx"), "ReceiptPage"),
    offline: true,
  },
  {
    path: "/supplier/claim/$redemptionId",
    area: "supplier",
    component: lazyPage("supplier", () => import("./claims/claim-page.tsx"), "ClaimPage"),
    offline: true,
  },
];
