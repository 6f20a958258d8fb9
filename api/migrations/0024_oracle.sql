CREATE TABLE "oracle_delegations" (
	"user_did" text PRIMARY KEY NOT NULL,
	"raw" text NOT NULL,
	"cid" text NOT NULL,
	"capabilities" jsonb NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"stored_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oracle_did_keys" (
	"did" text NOT NULL,
	"key_did" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "oracle_did_keys_did_key_did_pk" PRIMARY KEY("did","key_did")
);
--> statement-breakpoint
CREATE TABLE "oracle_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"number" bigserial NOT NULL,
	"session_id" text NOT NULL,
	"run_id" text NOT NULL,
	"type" text NOT NULL,
	"content" text NOT NULL,
	"tool_calls" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"reasoning" text,
	"is_complete" boolean NOT NULL,
	"attachments" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"history" jsonb,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oracle_processes" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oracle_run_frames" (
	"run_id" text NOT NULL,
	"first_seq" integer NOT NULL,
	"last_seq" integer NOT NULL,
	"frames" text NOT NULL,
	CONSTRAINT "oracle_run_frames_run_id_first_seq_pk" PRIMARY KEY("run_id","first_seq")
);
--> statement-breakpoint
CREATE TABLE "oracle_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"user_did" text NOT NULL,
	"request_id" text NOT NULL,
	"status" text NOT NULL,
	"process_id" text NOT NULL,
	"message_id" text NOT NULL,
	"abort_requested" text,
	"last_seq" integer DEFAULT 0 NOT NULL,
	"done_frame" text,
	"input_tokens" integer,
	"output_tokens" integer,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "oracle_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_did" text NOT NULL,
	"room_id" text NOT NULL,
	"thread_id" text,
	"title" text,
	"loaded_plugins" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"state" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "socket_io_attachments" (
	"id" bigserial NOT NULL,
	"created_at" timestamp with time zone DEFAULT now(),
	"payload" "bytea",
	CONSTRAINT "socket_io_attachments_id_unique" UNIQUE("id")
);
--> statement-breakpoint
ALTER TABLE "oracle_messages" ADD CONSTRAINT "oracle_messages_session_id_oracle_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."oracle_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oracle_run_frames" ADD CONSTRAINT "oracle_run_frames_run_id_oracle_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."oracle_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oracle_runs" ADD CONSTRAINT "oracle_runs_session_id_oracle_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."oracle_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "oracle_messages_session" ON "oracle_messages" USING btree ("session_id","number");--> statement-breakpoint
CREATE INDEX "oracle_runs_session" ON "oracle_runs" USING btree ("session_id","started_at");--> statement-breakpoint
CREATE INDEX "oracle_runs_open" ON "oracle_runs" USING btree ("process_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "oracle_runs_ended" ON "oracle_runs" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "oracle_sessions_user" ON "oracle_sessions" USING btree ("user_did","last_updated_at");--> statement-breakpoint
CREATE UNIQUE INDEX "oracle_sessions_thread" ON "oracle_sessions" USING btree ("user_did","thread_id");