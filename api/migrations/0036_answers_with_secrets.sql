ALTER TABLE "idempotency_records" ADD COLUMN "made_id" text;--> statement-breakpoint
-- Earlier versions kept answers that held a secret.
UPDATE "idempotency_records" SET "made_id" = "answer_body"::jsonb ->> 'id', "answer_body" = NULL
WHERE "status" = 'done' AND "route" IN ('POST /v1/keys', 'POST /v1/webhooks', 'POST /v1/campaigns/{campaignId}/evidence-token');
