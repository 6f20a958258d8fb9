export { openDescriptions } from "./describe.ts";
export { openRecordedEvents } from "./recorded.ts";
