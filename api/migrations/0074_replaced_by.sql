ALTER TABLE "odk_submissions" ADD COLUMN "replaced_by" text;--> statement-breakpoint
UPDATE "odk_submissions" "former" SET "replaced_by" = (
  SELECT "edit"."id" FROM "odk_submissions" "edit"
  WHERE "edit"."implementer_did" = "former"."implementer_did" AND "edit"."form_id" = "former"."form_id"
    AND "edit"."deprecated_id" = "former"."instance_id" AND "edit"."status" <> 'incomplete'
  ORDER BY ("edit"."status" = 'accepted') DESC, "edit"."received_at", "edit"."id" LIMIT 1
) WHERE "former"."status" = 'replaced';
