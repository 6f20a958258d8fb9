ALTER TABLE "usage_records" DROP COLUMN "idempotency_id";--> statement-breakpoint
ALTER TABLE "devices" DROP COLUMN "idempotency_id";