export { maySeeCard } from "./access.ts";
export { Pins } from "./pins/pins.ts";
export { pinRoutes } from "./pins/routes.ts";
export { pin } from "./pins/schemas.ts";
export { cardRoutes } from "./routes.ts";
export { cardId, cardStatus } from "./schemas.ts";
export { type CardStore, type CardWithBatch, openCardStore } from "./store.ts";
