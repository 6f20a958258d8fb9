ALTER TABLE "devices" ADD COLUMN "spelling" text;--> statement-breakpoint
-- The same as `spellingOf`. Of devices that differ only in their spelling, the one that was registered first keeps it.
UPDATE "devices" SET "spelling" = "first"."spelling" FROM (
  SELECT DISTINCT ON ("spelling") "serial", "spelling" FROM (
    SELECT "serial", "created_at", regexp_replace(lower(normalize("serial", NFKC)), '[[:space:]._/-]+', '-', 'g') AS "spelling"
    FROM "devices"
  ) AS "spelled" ORDER BY "spelling", "created_at", "serial"
) AS "first" WHERE "devices"."serial" = "first"."serial";--> statement-breakpoint
CREATE UNIQUE INDEX "devices_spelling" ON "devices" USING btree ("spelling");
