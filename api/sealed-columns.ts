// Every column whose values are sealed. Each feature lists its own.

import { sealedRoomColumns } from "../connect/index.ts";
import { sealedNotificationColumns } from "./platform/notifications/index.ts";
import type { SealedColumn } from "./platform/sealed-columns.ts";
import { sealedWebhookColumns } from "./platform/webhooks/index.ts";
import { sealedDrawColumns } from "./scheme/campaigns/index.ts";
import { sealedPinColumns } from "./scheme/cards/index.ts";
import { sealedCodeColumns } from "./scheme/codes/index.ts";

export const allSealedColumns: readonly SealedColumn[] = [
  ...sealedWebhookColumns,
  ...sealedNotificationColumns,
  ...sealedDrawColumns,
  ...sealedCodeColumns,
  ...sealedPinColumns,
  ...sealedRoomColumns,
];
