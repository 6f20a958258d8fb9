CREATE TABLE "kept_photos" (
	"sha256" text NOT NULL,
	"sender" text NOT NULL,
	"size" integer NOT NULL,
	"sent_at" timestamp with time zone NOT NULL,
	"is_evidence" boolean DEFAULT false NOT NULL,
	CONSTRAINT "kept_photos_sha256_sender_pk" PRIMARY KEY("sha256","sender")
);
--> statement-breakpoint
CREATE INDEX "kept_photos_sender" ON "kept_photos" USING btree ("sender");--> statement-breakpoint
CREATE INDEX "kept_photos_unused" ON "kept_photos" USING btree ("sent_at") WHERE not is_evidence;--> statement-breakpoint
-- Photos that were kept before: their sender and size are not known, and their days begin when they were sent.
INSERT INTO "kept_photos" ("sha256", "sender", "size", "sent_at")
SELECT "sha256", '', 0, "read_at" FROM "photo_facts" WHERE "link_hash" IS NOT NULL;
