DROP INDEX "files_word_tags";--> statement-breakpoint
DROP INDEX "files_trashed";--> statement-breakpoint
CREATE INDEX "files_shown" ON "files" USING btree ("namespace","path") WHERE trashed_at is null and not hidden and strpos(path, '/.') = 0;--> statement-breakpoint
CREATE INDEX "folder_flags_hidden" ON "folder_flags" USING btree ("namespace","path") WHERE hidden;--> statement-breakpoint
CREATE INDEX "files_trashed" ON "files" USING btree ("namespace","path","id") WHERE trashed_at is not null;--> statement-breakpoint
ALTER TABLE "files" DROP COLUMN "word_tags";