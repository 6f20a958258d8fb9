CREATE TABLE "file_reservations" (
	"id" text PRIMARY KEY NOT NULL,
	"namespace" text NOT NULL,
	"bytes" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "namespaces" ADD COLUMN "reserved" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "file_reservations_namespace" ON "file_reservations" USING btree ("namespace","expires_at");--> statement-breakpoint
-- Uploads that are under way have reserved nothing yet.
INSERT INTO "file_reservations" ("id", "namespace", "bytes", "expires_at")
SELECT "id", "namespace", greatest(coalesce("size", 0), "received"), "expires_at" FROM "file_uploads" WHERE "file_id" IS NULL;--> statement-breakpoint
INSERT INTO "namespaces" ("namespace", "reserved")
SELECT "namespace", sum("bytes") FROM "file_reservations" GROUP BY "namespace"
ON CONFLICT ("namespace") DO UPDATE SET "reserved" = excluded."reserved";
