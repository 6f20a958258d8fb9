DROP INDEX "file_words_tags";--> statement-breakpoint
CREATE INDEX "file_words_tags" ON "file_words" USING gin ("tags") WITH (gin_pending_list_limit=256);