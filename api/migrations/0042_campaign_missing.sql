CREATE TABLE "campaign_missing" (
	"campaign" integer NOT NULL,
	"group" text NOT NULL,
	"position" integer NOT NULL,
	"reason" text NOT NULL,
	"note" text,
	"evidence" text,
	"transaction_hash" text,
	"block_number" integer,
	CONSTRAINT "campaign_missing_campaign_group_position_pk" PRIMARY KEY("campaign","group","position")
);
--> statement-breakpoint
ALTER TABLE "campaign_replacements" ADD COLUMN "evidence" text;