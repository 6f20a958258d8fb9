export { addWebhookGauges } from "./gauges.ts";
export { webhookRoutes } from "./routes.ts";
export { openWebhooks, type Webhooks } from "./webhooks.ts";
