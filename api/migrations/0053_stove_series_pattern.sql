ALTER TABLE "kpt_stove_series" ADD COLUMN "pattern" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "kpt_stove_series" ADD COLUMN "longest_event_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "kpt_stove_series_pattern" ON "kpt_stove_series" USING gin ("pattern");