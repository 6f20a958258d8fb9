import type { Schemas } from "../../../wire/src/routes.ts";

export type Voucher = Schemas["Voucher"];
export type Product = Schemas["Product"];
export type Redemption = Schemas["Redemption"];
export type Claim = Schemas["DeliveryClaim"];
