import {
  IconAdjustments,
  IconAlertOctagon,
  IconCalendarStats,
  IconCashBanknote,
  IconCertificate,
  IconClipboardCheck,
  IconCloudUpload,
  IconDeviceMobileDollar,
  IconFileSpreadsheet,
  IconFlame,
  IconPlane,
  IconReceipt,
  IconReceiptRefund,
  IconRouteAltLeft,
  IconScale,
  IconTicket,
  IconUsersGroup,
  IconWorld,
} from "@tabler/icons-react";
import { lazyPage } from "../lazy-page.ts";
import type { Page } from "../page.ts";

const area = "regulator";

export const regulatorPages: Page[] = [
  {
    path: "/regulator/trace",
    area,
    component: lazyPage("regulator/trace", () => import("./trace/trace-page.tsx"), "TracePage"),
    nav: { label: "nav.regulator.trace", icon: IconRouteAltLeft },
  },
  {
    path: "/regulator/trace/$id",
    area,
    component: lazyPage("regulator/trace", () => import("./trace/trace-page.tsx"), "TracePage"),
  },
  {
    path: "/regulator/certificates",
    area,
    component: lazyPage("regulator/implementers", () => import("./certificates-page.tsx"), "CertificatesPage"),
    nav: { label: "nav.regulator.certificates", icon: IconCertificate },
  },
  {
    path: "/regulator/vouchers",
    area,
    component: lazyPage(area, () => import("./vouchers-page.tsx"), "VouchersPage"),
    nav: { label: "nav.regulator.vouchers", icon: IconTicket },
  },
  {
    path: "/regulator/redemptions",
    area,
    component: lazyPage("regulator/suppliers", () => import("./redemptions-page.tsx"), "RedemptionsPage"),
    nav: { label: "nav.regulator.redemptions", icon: IconReceipt },
  },
  {
    path: "/regulator/claims",
    area,
    component: lazyPage("regulator/suppliers", () => import("./claims-page.tsx"), "ClaimsPage"),
    nav: { label: "nav.regulator.claims", icon: IconClipboardCheck },
  },
  {
    path: "/regulator/participants",
    area,
    component: lazyPage("regulator/participants", () => import("./participants-page.tsx"), "ParticipantsPage"),
    nav: { label: "nav.regulator.participants", icon: IconUsersGroup },
  },
  {
    path: "/regulator/pool",
    area,
    component: lazyPage("regulator/checks", () => import("./pool/pool-page.tsx"), "PoolPage"),
    nav: { label: "nav.regulator.pool", icon: IconCashBanknote },
  },
  {
    path: "/regulator/payouts",
    area,
    component: lazyPage("regulator/payouts", () => import("./payouts/payouts-page.tsx"), "PayoutsPage"),
    nav: { label: "nav.regulator.payouts", icon: IconDeviceMobileDollar },
  },
  {
    path: "/regulator/itmos",
    area,
    component: lazyPage("regulator/implementers", () => import("./itmos-page.tsx"), "ItmosPage"),
    nav: { label: "nav.regulator.itmos", icon: IconWorld },
  },
  {
    path: "/regulator/debts",
    area,
    component: lazyPage("regulator/implementers", () => import("./debts-page.tsx"), "DebtsPage"),
    nav: { label: "nav.regulator.debts", icon: IconReceiptRefund },
  },
  {
    path: "/regulator/double-counting",
    area,
    component: lazyPage("regulator/checks", () => import("./double-counting-page.tsx"), "DoubleCountingPage"),
    nav: { label: "nav.regulator.doubleCounting", icon: IconScale },
  },
  {
    path: "/regulator/aef",
    area,
    component: lazyPage(area, () => import("./aef/aef-page.tsx"), "AefPage"),
    nav: { label: "nav.regulator.aef", icon: IconFileSpreadsheet },
  },
  {
    path: "/regulator/exceptions",
    area,
    component: lazyPage(area, () => import("./reports/exceptions-page.tsx"), "ExceptionsPage"),
    nav: { label: "nav.regulator.exceptions", icon: IconAlertOctagon },
  },
  {
    path: "/regulator/ndc",
    area,
    component: lazyPage(area, () => import("./reports/ndc-page.tsx"), "NdcPage"),
    nav: { label: "nav.regulator.ndc", icon: IconCalendarStats },
  },
  {
    path: "/regulator/corsia",
    area,
    component: lazyPage(area, () => import("./reports/corsia-page.tsx"), "CorsiaPage"),
    nav: { label: "nav.regulator.corsia", icon: IconPlane },
  },
  {
    path: "/regulator/cad-trust",
    area,
    component: lazyPage(area, () => import("./cad-trust/cad-trust-page.tsx"), "CadTrustPage"),
    nav: { label: "nav.regulator.cadTrust", icon: IconCloudUpload },
  },
  {
    path: "/regulator/parameters",
    area,
    component: lazyPage(area, () => import("./parameters-page.tsx"), "ParametersPage"),
    nav: { label: "nav.regulator.parameters", icon: IconAdjustments },
  },
  {
    path: "/regulator/campaigns",
    area,
    component: lazyPage(area, () => import("./campaigns/campaigns-page.tsx"), "CampaignsPage"),
    nav: { label: "nav.regulator.campaigns", icon: IconFlame },
  },
  {
    path: "/regulator/campaigns/$id",
    area,
    component: lazyPage("regulator/implementers", () => import("./campaigns/result-page.tsx"), "ResultPage"),
  },
];
