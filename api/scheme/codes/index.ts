export { HouseholdCodes, sealedCodeColumns } from "./household-codes.ts";
export { codeRoutes } from "./routes.ts";
export { codesPerVoucher } from "./schemas.ts";
export { voucherQrText } from "./voucher-qr-text.ts";
