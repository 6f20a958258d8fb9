ALTER TABLE "oracle_runs" ADD COLUMN "retry_id" text;--> statement-breakpoint
CREATE UNIQUE INDEX "oracle_runs_retry" ON "oracle_runs" USING btree ("session_id","retry_id") WHERE retry_id is not null;