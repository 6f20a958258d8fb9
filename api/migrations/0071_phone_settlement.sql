ALTER TABLE "phone_messages" ADD COLUMN "number_hash" text;--> statement-breakpoint
ALTER TABLE "phone_requests" ADD COLUMN "order_key" text;--> statement-breakpoint
ALTER TABLE "phone_requests" ADD COLUMN "gateway_id" text;--> statement-breakpoint
ALTER TABLE "phone_requests" ADD COLUMN "phone_hash" text;--> statement-breakpoint
ALTER TABLE "phone_requests" ADD COLUMN "settle_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "phone_messages_number" ON "phone_messages" USING btree ("number_hash") WHERE "phone_messages"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "phone_requests_settle" ON "phone_requests" USING btree ("settle_at") WHERE "phone_requests"."status" = 'sent';--> statement-breakpoint
ALTER TABLE "phone_requests" ADD CONSTRAINT "phone_requests_order_key_unique" UNIQUE("order_key");