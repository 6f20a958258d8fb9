CREATE TABLE "usage_frames" (
	"root" text NOT NULL,
	"chunk" integer NOT NULL,
	"devices" jsonb NOT NULL,
	"saved_at" timestamp with time zone NOT NULL,
	CONSTRAINT "usage_frames_root_chunk_pk" PRIMARY KEY("root","chunk")
);
--> statement-breakpoint
CREATE TABLE "usage_positions" (
	"campaign" integer NOT NULL,
	"position" integer NOT NULL,
	"age" integer NOT NULL,
	"serial" text NOT NULL,
	"household" integer NOT NULL,
	CONSTRAINT "usage_positions_campaign_position_pk" PRIMARY KEY("campaign","position")
);
--> statement-breakpoint
CREATE TABLE "usage_records" (
	"campaign" integer NOT NULL,
	"position" integer NOT NULL,
	"outcome" text NOT NULL,
	"device_seen" boolean,
	"in_use" boolean,
	"surveyed_on" text,
	"surveyor_did" text,
	"evidence" jsonb NOT NULL,
	"reason" text,
	"note" text,
	"recorded_at" timestamp with time zone NOT NULL,
	CONSTRAINT "usage_records_campaign_position_pk" PRIMARY KEY("campaign","position")
);
