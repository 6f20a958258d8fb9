ALTER TABLE "usage_records" ADD COLUMN "idempotency_id" text;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "idempotency_id" text;