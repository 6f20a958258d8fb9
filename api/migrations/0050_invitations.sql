CREATE TABLE "invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"key" jsonb NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"accepted_at" timestamp with time zone,
	"key_id" text,
	"revoked_at" timestamp with time zone
);
