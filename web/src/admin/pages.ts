import {
  IconAntenna,
  IconBuildingBank,
  IconClipboardData,
  IconClipboardList,
  IconCooker,
  IconDeviceMobile,
  IconDeviceMobileDollar,
  IconGavel,
  IconHeartbeat,
  IconHistory,
  IconKey,
  IconPackage,
  IconPhoneCall,
  IconShieldLock,
  IconSignature,
  IconUsersGroup,
} from "@tabler/icons-react";
import { lazyPage } from "../lazy-page.ts";
import type { Page } from "../page.ts";

export const adminPages: Page[] = [
  {
    path: "/admin/people",
    area: "admin",
    component: lazyPage("admin/people", () => import("./keys/people-page.tsx"), "PeoplePage"),
    nav: { label: "nav.admin.people", icon: IconKey },
  },
  {
    path: "/admin/participants",
    area: "admin",
    component: lazyPage("admin", () => import("./participants/participants-page.tsx"), "ParticipantsPage"),
    nav: { label: "nav.admin.participants", icon: IconUsersGroup },
  },
  {
    path: "/admin/products",
    area: "admin",
    component: lazyPage("admin", () => import("./products/products-page.tsx"), "ProductsPage"),
    nav: { label: "nav.admin.products", icon: IconPackage },
  },
  {
    path: "/admin/plans",
    area: "admin",
    component: lazyPage("admin", () => import("./plans/plans-page.tsx"), "PlansPage"),
    nav: { label: "nav.admin.plans", icon: IconClipboardList },
  },
  {
    path: "/admin/issuers",
    area: "admin",
    component: lazyPage("admin", () => import("./issuers/issuers-page.tsx"), "IssuersPage"),
    nav: { label: "nav.admin.issuers", icon: IconSignature },
  },
  {
    path: "/admin/registries",
    area: "admin",
    component: lazyPage("admin/registries", () => import("./registries/registries-page.tsx"), "RegistriesPage"),
    nav: { label: "nav.admin.registries", icon: IconBuildingBank },
  },
  {
    path: "/admin/devices",
    area: "admin",
    component: lazyPage("admin/devices", () => import("./devices/devices-page.tsx"), "DevicesPage"),
    nav: { label: "nav.admin.devices", icon: IconCooker },
  },
  {
    path: "/admin/collectors",
    area: "admin",
    component: lazyPage("admin", () => import("./collectors/collectors-page.tsx"), "CollectorsPage"),
    nav: { label: "nav.admin.collectors", icon: IconDeviceMobile },
  },
  {
    path: "/admin/kobo",
    area: "admin",
    component: lazyPage("admin", () => import("./kobo/kobo-page.tsx"), "KoboPage"),
    nav: { label: "nav.admin.kobo", icon: IconClipboardData },
  },
  {
    path: "/admin/payouts",
    area: "admin",
    component: lazyPage("admin/payouts", () => import("./payouts/payouts-page.tsx"), "PayoutsPage"),
    nav: { label: "nav.admin.payouts", icon: IconDeviceMobileDollar },
  },
  {
    path: "/admin/gateways",
    area: "admin",
    component: lazyPage("admin", () => import("./phones/gateways-page.tsx"), "GatewaysPage"),
    nav: { label: "nav.admin.gateways", icon: IconAntenna },
  },
  {
    path: "/admin/simulator",
    area: "admin",
    component: lazyPage("admin", () => import("./phones/simulator-page.tsx"), "SimulatorPage"),
    nav: { label: "nav.admin.simulator", icon: IconPhoneCall },
  },
  {
    path: "/admin/roles",
    area: "admin",
    component: lazyPage("admin", () => import("./roles/roles-page.tsx"), "RolesPage"),
    nav: { label: "nav.admin.roles", icon: IconShieldLock },
  },
  {
    path: "/admin/council",
    area: "admin",
    component: lazyPage("admin", () => import("./council/council-page.tsx"), "CouncilPage"),
    nav: { label: "nav.admin.council", icon: IconGavel },
  },
  {
    path: "/admin/council/$id",
    area: "admin",
    component: lazyPage("admin", () => import("./council/proposal-page.tsx"), "ProposalPage"),
  },
  {
    path: "/admin/health",
    area: "admin",
    component: lazyPage("admin", () => import("./health/health-page.tsx"), "HealthPage"),
    nav: { label: "nav.admin.health", icon: IconHeartbeat },
  },
  {
    path: "/admin/audit",
    area: "admin",
    component: lazyPage("admin", () => import("./audit/audit-page.tsx"), "AuditPage"),
    nav: { label: "nav.admin.audit", icon: IconHistory },
  },
];
