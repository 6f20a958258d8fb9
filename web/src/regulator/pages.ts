import {
  IconAdjustments,
  IconAlertOctagon,
  IconCalendarStats,
  IconCashBanknote,
  IconCertificate,
  IconClipboardCheck,
  IconFileSpreadsheet,
  IconFlame,
  IconPlane,
  IconReceiptRefund,
  IconRouteAltLeft,
  IconScale,
  IconTicket,
  IconWorld,
} from "@tabler/icons-react";
import { lazyRouteComponent } from "@tanstack/react-router";
import type { Page } from "../page.ts";

const area = "regulator";

export const regulatorPages: Page[] = [
  {
    path: "/regulator/trace",
    area,
    component: lazyRouteComponent(() => import("./trace/trace-page.tsx"), "TracePage"),
    nav: { label: "regulator.nav.trace", icon: IconRouteAltLeft },
  },
  {
    path: "/regulator/trace/$id",
    area,
    component: lazyRouteComponent(() => import("./trace/trace-page.tsx"), "TracePage"),
  },
  {
    path: "/regulator/certificates",
    area,
    component: lazyRouteComponent(() => import("./certificates-page.tsx"), "CertificatesPage"),
    nav: { label: "regulator.nav.certificates", icon: IconCertificate },
  },
  {
    path: "/regulator/vouchers",
    area,
    component: lazyRouteComponent(() => import("./vouchers-page.tsx"), "VouchersPage"),
    nav: { label: "regulator.nav.vouchers", icon: IconTicket },
  },
  {
    path: "/regulator/claims",
    area,
    component: lazyRouteComponent(() => import("./claims-page.tsx"), "ClaimsPage"),
    nav: { label: "regulator.nav.claims", icon: IconClipboardCheck },
  },
  {
    path: "/regulator/pool",
    area,
    component: lazyRouteComponent(() => import("./pool/pool-page.tsx"), "PoolPage"),
    nav: { label: "regulator.nav.pool", icon: IconCashBanknote },
  },
  {
    path: "/regulator/itmos",
    area,
    component: lazyRouteComponent(() => import("./itmos-page.tsx"), "ItmosPage"),
    nav: { label: "regulator.nav.itmos", icon: IconWorld },
  },
  {
    path: "/regulator/debts",
    area,
    component: lazyRouteComponent(() => import("./debts-page.tsx"), "DebtsPage"),
    nav: { label: "regulator.nav.debts", icon: IconReceiptRefund },
  },
  {
    path: "/regulator/double-counting",
    area,
    component: lazyRouteComponent(() => import("./double-counting-page.tsx"), "DoubleCountingPage"),
    nav: { label: "regulator.nav.doubleCounting", icon: IconScale },
  },
  {
    path: "/regulator/aef",
    area,
    component: lazyRouteComponent(() => import("./aef/aef-page.tsx"), "AefPage"),
    nav: { label: "regulator.nav.aef", icon: IconFileSpreadsheet },
  },
  {
    path: "/regulator/exceptions",
    area,
    component: lazyRouteComponent(() => import("./reports/exceptions-page.tsx"), "ExceptionsPage"),
    nav: { label: "regulator.nav.exceptions", icon: IconAlertOctagon },
  },
  {
    path: "/regulator/ndc",
    area,
    component: lazyRouteComponent(() => import("./reports/ndc-page.tsx"), "NdcPage"),
    nav: { label: "regulator.nav.ndc", icon: IconCalendarStats },
  },
  {
    path: "/regulator/corsia",
    area,
    component: lazyRouteComponent(() => import("./reports/corsia-page.tsx"), "CorsiaPage"),
    nav: { label: "regulator.nav.corsia", icon: IconPlane },
  },
  {
    path: "/regulator/parameters",
    area,
    component: lazyRouteComponent(() => import("./parameters-page.tsx"), "ParametersPage"),
    nav: { label: "regulator.nav.parameters", icon: IconAdjustments },
  },
  {
    path: "/regulator/campaigns",
    area,
    component: lazyRouteComponent(() => import("./campaigns/campaigns-page.tsx"), "CampaignsPage"),
    nav: { label: "regulator.nav.campaigns", icon: IconFlame },
  },
  {
    path: "/regulator/campaigns/$id",
    area,
    component: lazyRouteComponent(() => import("./campaigns/result-page.tsx"), "ResultPage"),
  },
];
