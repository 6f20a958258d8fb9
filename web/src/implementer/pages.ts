import {
  IconArrowsExchange,
  IconClipboardList,
  IconCoins,
  IconCooker,
  IconDeviceMobile,
  IconHomePlus,
  IconId,
  IconMap2,
  IconPasswordMobilePhone,
  IconQrcode,
  IconScale,
  IconScaleOutline,
  IconTicket,
} from "@tabler/icons-react";
import { lazyPage } from "../lazy-page.ts";
import type { Page } from "../page.ts";

export const implementerPages: Page[] = [
  {
    path: "/implementer/households",
    area: "implementer",
    component: lazyPage("implementer/households", () => import("./households/households-page.tsx"), "HouseholdsPage"),
    nav: { label: "nav.implementer.households", icon: IconHomePlus },
  },
  {
    path: "/implementer/devices",
    area: "implementer",
    component: lazyPage("implementer/devices", () => import("./devices/devices-page.tsx"), "DevicesPage"),
    nav: { label: "nav.implementer.devices", icon: IconCooker },
  },
  {
    path: "/implementer/scales",
    area: "implementer",
    component: lazyPage("implementer/devices", () => import("./scales/scales-page.tsx"), "ScalesPage"),
    nav: { label: "nav.implementer.scales", icon: IconScaleOutline },
  },
  {
    path: "/implementer/cards",
    area: "implementer",
    component: lazyPage("implementer", () => import("./cards/cards-page.tsx"), "CardsPage"),
    nav: { label: "nav.implementer.cards", icon: IconId },
  },
  {
    path: "/implementer/cards/$batchId",
    area: "implementer",
    component: lazyPage("implementer", () => import("./cards/batch-page.tsx"), "BatchPage"),
  },
  {
    path: "/implementer/codes",
    area: "implementer",
    component: lazyPage("implementer", () => import("./codes/codes-page.tsx"), "CodesPage"),
    nav: { label: "nav.implementer.codes", icon: IconQrcode },
  },
  {
    path: "/implementer/access",
    area: "implementer",
    component: lazyPage("implementer", () => import("./access/access-page.tsx"), "AccessPage"),
    nav: { label: "nav.implementer.access", icon: IconPasswordMobilePhone },
  },
  {
    path: "/implementer/map",
    area: "implementer",
    component: lazyPage("implementer", () => import("./map/map-page.tsx"), "MapPage"),
    nav: { label: "nav.implementer.map", icon: IconMap2 },
  },
  {
    path: "/implementer/campaigns",
    area: "implementer",
    component: lazyPage("implementer", () => import("./campaigns/campaigns-page.tsx"), "CampaignsPage"),
    nav: { label: "nav.implementer.campaigns", icon: IconScale },
  },
  {
    path: "/implementer/new-campaign",
    area: "implementer",
    component: lazyPage("implementer", () => import("./campaigns/new-campaign-page.tsx"), "NewCampaignPage"),
  },
  {
    path: "/implementer/campaigns/$campaignId",
    area: "implementer",
    component: lazyPage("implementer", () => import("./campaigns/campaign-page.tsx"), "CampaignPage"),
  },
  {
    path: "/implementer/close/$campaignId",
    area: "implementer",
    component: lazyPage("implementer", () => import("./campaigns/close-page.tsx"), "ClosePage"),
  },
  {
    path: "/implementer/findings/$campaignId",
    area: "implementer",
    component: lazyPage("implementer", () => import("./campaigns/findings-page.tsx"), "FindingsPage"),
  },
  {
    path: "/regulator/findings/$campaignId",
    area: "regulator",
    component: lazyPage("implementer", () => import("./campaigns/findings-page.tsx"), "FindingsPage"),
  },
  {
    path: "/regulator/certify/$campaignId",
    area: "regulator",
    component: lazyPage("implementer", () => import("./campaigns/certify-page.tsx"), "CertifyPage"),
  },
  {
    path: "/implementer/measure/$campaignId",
    area: "implementer",
    component: lazyPage("implementer", () => import("./kpt/measure-page.tsx"), "MeasurePage"),
    offline: true,
  },
  {
    path: "/implementer/records",
    area: "implementer",
    component: lazyPage("implementer/records", () => import("./records/records-page.tsx"), "RecordsPage"),
    nav: { label: "nav.implementer.records", icon: IconDeviceMobile },
  },
  {
    path: "/implementer/issue",
    area: "implementer",
    component: lazyPage("implementer", () => import("./vouchers/issue-page.tsx"), "IssuePage"),
    nav: { label: "nav.implementer.issue", icon: IconTicket },
  },
  {
    path: "/implementer/vouchers",
    area: "implementer",
    component: lazyPage("implementer", () => import("./vouchers/vouchers-page.tsx"), "VouchersPage"),
    nav: { label: "nav.implementer.vouchers", icon: IconClipboardList },
  },
  {
    path: "/implementer/pool",
    area: "implementer",
    component: lazyPage("implementer", () => import("./pool/swap-page.tsx"), "SwapPage"),
    nav: { label: "nav.implementer.swap", icon: IconCoins },
  },
  {
    path: "/implementer/conversions",
    area: "implementer",
    component: lazyPage("implementer", () => import("./conversions/conversions-page.tsx"), "ConversionsPage"),
    nav: { label: "nav.implementer.conversions", icon: IconArrowsExchange },
  },
];
