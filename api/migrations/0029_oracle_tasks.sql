CREATE TABLE "oracle_tasks" (
	"id" text PRIMARY KEY NOT NULL,
	"user_did" text NOT NULL,
	"session_id" text NOT NULL,
	"message" text NOT NULL,
	"schedule" text NOT NULL,
	"timezone" text NOT NULL,
	"next_at" timestamp with time zone,
	"last_run_id" text,
	"problem" text,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "oracle_tasks_user" ON "oracle_tasks" USING btree ("user_did","id");--> statement-breakpoint
CREATE INDEX "oracle_tasks_due" ON "oracle_tasks" USING btree ("next_at");