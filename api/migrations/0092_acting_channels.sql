CREATE TABLE "redemption_actors" (
	"redemption_id" text PRIMARY KEY NOT NULL,
	"channel" text NOT NULL,
	"role" text NOT NULL,
	"caller" text NOT NULL,
	"consent" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "adapter" text;--> statement-breakpoint
ALTER TABLE "card_changes" ADD COLUMN "channel" text;--> statement-breakpoint
CREATE INDEX "redemption_actors_channel" ON "redemption_actors" USING btree ("channel","consent");