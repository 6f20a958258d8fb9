export { type Events, openEvents } from "./events.ts";
export type { EventHub } from "./hub.ts";
export type { DescribeLog } from "./reader.ts";
export { eventRoutes } from "./routes.ts";
export {
  type Described,
  type EventParties,
  type EventType,
  eventTypes,
  type Place,
  type SchemeEvent,
} from "./types.ts";
export { messageFor } from "./visibility.ts";
