CREATE TABLE "notices" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"subscription_id" text NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"deadline" text,
	"occurred_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "notification_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"sealed_address" text NOT NULL,
	"address_hash" text NOT NULL,
	"topics" text[] NOT NULL,
	"language" text NOT NULL,
	"status" text NOT NULL,
	"confirmed_at" timestamp with time zone,
	"key_id" text NOT NULL,
	"role" text NOT NULL,
	"supplier_did" text,
	"implementer_did" text,
	"scopes" text[] NOT NULL,
	"dids" text[],
	"through_block" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text
);
--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_subscription_id_notification_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."notification_subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notices_event" ON "notices" USING btree ("subscription_id","event_id");--> statement-breakpoint
CREATE INDEX "notices_due" ON "notices" USING btree ("subscription_id","sent_at","due_at");--> statement-breakpoint
CREATE UNIQUE INDEX "notification_subscriptions_address" ON "notification_subscriptions" USING btree ("key_id","address_hash");--> statement-breakpoint
CREATE INDEX "notification_subscriptions_due" ON "notification_subscriptions" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "operations_type" ON "operations" USING btree ("type","updated_at");