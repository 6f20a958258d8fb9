export { type Events, openEvents } from "./events.ts";
export { EventFollower, type Follower, followerOf } from "./follower.ts";
export type { EventHub } from "./hub.ts";
export type { DescribeLog, ReadRecorded } from "./reader.ts";
export { eventRoutes } from "./routes.ts";
export { followerColumns } from "./tables.ts";
export {
  BLOCKS_UNTIL_PLACED,
  type Described,
  type EventParties,
  type EventType,
  eventTypes,
  type Place,
  type RecordedEvent,
  type SchemeEvent,
} from "./types.ts";
export { type EventMessage, messageFor } from "./visibility.ts";
