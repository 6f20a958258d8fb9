export { defineDeviceImport } from "./import.ts";
export { deviceRoutes } from "./routes.ts";
export { type DeviceStore, openDeviceStore } from "./store.ts";
