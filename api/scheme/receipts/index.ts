export { Receipts } from "./receipts.ts";
export { receiptRoutes } from "./routes.ts";
