import { ponder } from "ponder:registry";
import { expireVouchers } from "../lib/on.ts";

// On a chain without events, vouchers expire all the same.
ponder.on("Days:block", expireVouchers);
