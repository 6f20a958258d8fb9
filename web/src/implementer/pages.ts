import { IconArrowsExchange, IconCoins, IconHomePlus, IconScale, IconTicket } from "@tabler/icons-react";
import { lazyRouteComponent } from "@tanstack/react-router";
import type { Page } from "../page.ts";

export const implementerPages: Page[] = [
  {
    path: "/implementer/households",
    area: "implementer",
    component: lazyRouteComponent(() => import("./households/households-page.tsx"), "HouseholdsPage"),
    nav: { label: "implementer.households.title", icon: IconHomePlus },
  },
  {
    path: "/implementer/campaigns",
    area: "implementer",
    component: lazyRouteComponent(() => import("./campaigns/campaigns-page.tsx"), "CampaignsPage"),
    nav: { label: "implementer.campaigns.title", icon: IconScale },
  },
  {
    path: "/implementer/new-campaign",
    area: "implementer",
    component: lazyRouteComponent(() => import("./campaigns/new-campaign-page.tsx"), "NewCampaignPage"),
  },
  {
    path: "/implementer/campaigns/$campaignId",
    area: "implementer",
    component: lazyRouteComponent(() => import("./campaigns/campaign-page.tsx"), "CampaignPage"),
  },
  {
    path: "/implementer/close/$campaignId",
    area: "implementer",
    component: lazyRouteComponent(() => import("./campaigns/close-page.tsx"), "ClosePage"),
  },
  {
    path: "/implementer/findings/$campaignId",
    area: "implementer",
    component: lazyRouteComponent(() => import("./campaigns/findings-page.tsx"), "FindingsPage"),
  },
  {
    path: "/regulator/findings/$campaignId",
    area: "regulator",
    component: lazyRouteComponent(() => import("./campaigns/findings-page.tsx"), "FindingsPage"),
  },
  {
    path: "/regulator/certify/$campaignId",
    area: "regulator",
    component: lazyRouteComponent(() => import("./campaigns/certify-page.tsx"), "CertifyPage"),
  },
  {
    path: "/implementer/measure/$campaignId",
    area: "implementer",
    component: lazyRouteComponent(() => import("./kpt/measure-page.tsx"), "MeasurePage"),
    offline: true,
  },
  {
    path: "/implementer/issue",
    area: "implementer",
    component: lazyRouteComponent(() => import("./vouchers/issue-page.tsx"), "IssuePage"),
    nav: { label: "implementer.issue.title", icon: IconTicket },
  },
  {
    path: "/implementer/pool",
    area: "implementer",
    component: lazyRouteComponent(() => import("./pool/swap-page.tsx"), "SwapPage"),
    nav: { label: "implementer.swap.title", icon: IconCoins },
  },
  {
    path: "/implementer/conversions",
    area: "implementer",
    component: lazyRouteComponent(() => import("./conversions/conversions-page.tsx"), "ConversionsPage"),
    nav: { label: "implementer.conversions.title", icon: IconArrowsExchange },
  },
];
