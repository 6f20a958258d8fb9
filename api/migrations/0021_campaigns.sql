CREATE TABLE "campaign_frames" (
	"root" text NOT NULL,
	"chunk" integer NOT NULL,
	"leaves" "bytea" NOT NULL,
	"dids" jsonb NOT NULL,
	"saved_at" timestamp with time zone NOT NULL,
	CONSTRAINT "campaign_frames_root_chunk_pk" PRIMARY KEY("root","chunk")
);
--> statement-breakpoint
CREATE TABLE "campaign_replacements" (
	"campaign" integer NOT NULL,
	"group" text NOT NULL,
	"dropped" integer NOT NULL,
	"replacement" integer,
	"reason" text NOT NULL,
	"note" text,
	"transaction_hash" text,
	"block_number" integer,
	CONSTRAINT "campaign_replacements_campaign_group_dropped_pk" PRIMARY KEY("campaign","group","dropped")
);
--> statement-breakpoint
CREATE TABLE "campaign_samples" (
	"campaign" integer NOT NULL,
	"group" text NOT NULL,
	"position" integer NOT NULL,
	"leaf" text NOT NULL,
	"did" text NOT NULL,
	CONSTRAINT "campaign_samples_campaign_group_position_pk" PRIMARY KEY("campaign","group","position")
);
--> statement-breakpoint
CREATE TABLE "campaigns" (
	"campaign_id" text PRIMARY KEY NOT NULL,
	"campaign" integer NOT NULL,
	"plan" integer NOT NULL,
	"implementer" integer NOT NULL,
	"start_date" text NOT NULL,
	"end_date" text NOT NULL,
	"sample_size" integer NOT NULL,
	"reference_root" text NOT NULL,
	"reference_size" integer NOT NULL,
	"intervention_root" text NOT NULL,
	"intervention_size" integer NOT NULL,
	"terms" jsonb NOT NULL,
	"transaction_hash" text NOT NULL,
	"block_number" integer NOT NULL,
	"committed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "campaigns_campaign_unique" UNIQUE("campaign")
);
--> statement-breakpoint
CREATE INDEX "campaign_samples_leaf" ON "campaign_samples" USING btree ("leaf");