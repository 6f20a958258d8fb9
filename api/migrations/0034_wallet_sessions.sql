CREATE TABLE "sign_in_nonces" (
	"nonce" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wallet_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"address" text NOT NULL,
	"acts_as" text NOT NULL,
	"participant" integer NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "oracle_call_participants" ADD COLUMN "socket_id" text;--> statement-breakpoint
ALTER TABLE "oracle_call_participants" ADD COLUMN "absent_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "wallet_sessions_expiry" ON "wallet_sessions" USING btree ("expires_at");