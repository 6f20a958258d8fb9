export { defineDeviceImport } from "./import.ts";
export { deviceRoutes } from "./routes.ts";
export { scaleRoutes } from "./scales/routes.ts";
export { scaleStore } from "./scales/store.ts";
export { type DeviceStore, openDeviceStore } from "./store.ts";
