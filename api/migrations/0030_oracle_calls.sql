CREATE TABLE "oracle_call_invitations" (
	"hash" text PRIMARY KEY NOT NULL,
	"call_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oracle_call_participants" (
	"id" text PRIMARY KEY NOT NULL,
	"call_id" text NOT NULL,
	"did" text NOT NULL,
	"kind" text NOT NULL,
	"public_key" text NOT NULL,
	"muted" boolean NOT NULL,
	"video" boolean NOT NULL,
	"process_id" text NOT NULL,
	"joined_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oracle_calls" (
	"id" text PRIMARY KEY NOT NULL,
	"session_id" text NOT NULL,
	"user_did" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "oracle_call_invitations" ADD CONSTRAINT "oracle_call_invitations_call_id_oracle_calls_id_fk" FOREIGN KEY ("call_id") REFERENCES "public"."oracle_calls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oracle_call_participants" ADD CONSTRAINT "oracle_call_participants_call_id_oracle_calls_id_fk" FOREIGN KEY ("call_id") REFERENCES "public"."oracle_calls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oracle_calls" ADD CONSTRAINT "oracle_calls_session_id_oracle_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."oracle_sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "oracle_call_participants_call" ON "oracle_call_participants" USING btree ("call_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oracle_call_participants_one_agent" ON "oracle_call_participants" USING btree ("call_id") WHERE kind = 'agent';--> statement-breakpoint
CREATE UNIQUE INDEX "oracle_calls_one_open" ON "oracle_calls" USING btree ("session_id") WHERE ended_at is null;