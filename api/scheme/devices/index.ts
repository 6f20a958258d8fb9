export { defineDeviceImport } from "./import.ts";
export { deviceRoutes } from "./routes.ts";
export { scaleRoutes } from "./scales/routes.ts";
export { scaleStore } from "./scales/store.ts";
export { spellingOf } from "./spelling.ts";
export { type DeviceStore, openDeviceStore, type PlacedDevice } from "./store.ts";
