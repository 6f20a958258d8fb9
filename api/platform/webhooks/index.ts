export { addWebhookGauges } from "./gauges.ts";
export { webhookRoutes } from "./routes.ts";
export { openWebhooks, sealedWebhookColumns, type Webhooks } from "./webhooks.ts";
