export type { Added, AddedSource } from "./added-notices.ts";
export { endedImports } from "./ended-imports.ts";
export { type Notifications, openNotifications, sealedNotificationColumns } from "./notifications.ts";
export { isNotificationLink, notificationRoutes } from "./routes.ts";
