import { ponder } from "ponder:registry";
import { expireVouchers } from "../lib/on.ts";

// On a chain without events, vouchers expire as well.
ponder.on("Days:block", expireVouchers);
ponder.on("Today:block", expireVouchers);
