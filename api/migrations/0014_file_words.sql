CREATE TABLE "file_words" (
	"file_id" text PRIMARY KEY NOT NULL,
	"key_group" text NOT NULL,
	"tags" bigint[] NOT NULL,
	"sealed" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file_words" ADD CONSTRAINT "file_words_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_words_tags" ON "file_words" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "file_words_key_group" ON "file_words" USING btree ("key_group");