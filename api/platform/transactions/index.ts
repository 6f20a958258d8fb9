export { type PrepareAction, prepareAction } from "./action.ts";
export { transactionRoutes } from "./routes.ts";
export {
  from,
  type PreparedTransaction,
  type PreparedTransactions,
  type PreparedTypedData,
  preparedTransaction,
  submitRequest,
} from "./schemas.ts";
export { openSigned } from "./submit.ts";
export { type CallToSign, unsignedCall, unsignedTransaction } from "./unsigned.ts";
