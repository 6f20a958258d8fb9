CREATE TABLE "file_upload_parts" (
	"upload_id" text NOT NULL,
	"part" integer NOT NULL,
	"blob" text NOT NULL,
	"size" bigint NOT NULL,
	CONSTRAINT "file_upload_parts_upload_id_part_pk" PRIMARY KEY("upload_id","part")
);
--> statement-breakpoint
CREATE TABLE "file_uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"namespace" text NOT NULL,
	"invoker" text NOT NULL,
	"path" text collate "C" NOT NULL,
	"mime_type" text NOT NULL,
	"metadata" text NOT NULL,
	"size" bigint,
	"received" bigint DEFAULT 0 NOT NULL,
	"file_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file_upload_parts" ADD CONSTRAINT "file_upload_parts_upload_id_file_uploads_id_fk" FOREIGN KEY ("upload_id") REFERENCES "public"."file_uploads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_upload_parts_blob" ON "file_upload_parts" USING btree ("blob");--> statement-breakpoint
CREATE INDEX "file_uploads_namespace" ON "file_uploads" USING btree ("namespace");--> statement-breakpoint
CREATE INDEX "file_uploads_expires_at" ON "file_uploads" USING btree ("expires_at");