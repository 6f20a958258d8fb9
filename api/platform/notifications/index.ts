export type { AddedSource } from "./added-notices.ts";
export { endedImports } from "./ended-imports.ts";
export { type Notifications, openNotifications } from "./notifications.ts";
export { isNotificationLink, notificationRoutes } from "./routes.ts";
