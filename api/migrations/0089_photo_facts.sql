CREATE TABLE "photo_facts" (
	"sha256" text PRIMARY KEY NOT NULL,
	"link_hash" text,
	"mime_type" text NOT NULL,
	"taken_at" text,
	"latitude" bigint,
	"longitude" bigint,
	"device" text,
	"read_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "evidence" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "photo_facts_link_hash" ON "photo_facts" USING btree ("link_hash");