export { maySeeCard, visibleImplementers } from "./access.ts";
export { Pins, sealedPinColumns } from "./pins/pins.ts";
export { pinRoutes } from "./pins/routes.ts";
export { pin } from "./pins/schemas.ts";
export { cardRoutes } from "./routes.ts";
export { cardId, cardLanguage, cardStatus } from "./schemas.ts";
export { a4, createSheetPdf, digitsFont, type SheetPdf, written } from "./sheets/pdf.ts";
export { type CardStore, type CardWithBatch, openCardStore } from "./store.ts";
export { type CardLanguage, cardLanguages } from "./tables.ts";
