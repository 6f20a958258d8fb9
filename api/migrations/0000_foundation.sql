CREATE TABLE "idempotency_records" (
	"id" text PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"route" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"request_hash" text NOT NULL,
	"status" text NOT NULL,
	"lease_owner" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"answer_status" integer,
	"answer_headers" jsonb,
	"answer_body" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_records_natural_key" UNIQUE("key_id","route","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"supplier_did" text,
	"implementer_did" text,
	"public_jwk" jsonb,
	"scopes" jsonb NOT NULL,
	"dids" jsonb,
	"ip_ranges" jsonb,
	"requests_per_minute" integer,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "dpop_proofs" (
	"id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operation_rows" (
	"operation_id" text NOT NULL,
	"index" integer NOT NULL,
	"status" text NOT NULL,
	"input" jsonb NOT NULL,
	"answer" jsonb,
	CONSTRAINT "operation_rows_operation_id_index_pk" PRIMARY KEY("operation_id","index")
);
--> statement-breakpoint
CREATE TABLE "operations" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"actor" jsonb NOT NULL,
	"input" jsonb NOT NULL,
	"status" text NOT NULL,
	"done" integer NOT NULL,
	"total" integer NOT NULL,
	"failed" integer NOT NULL,
	"result" jsonb,
	"error" jsonb,
	"attempts" integer NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "operation_rows" ADD CONSTRAINT "operation_rows_operation_id_operations_id_fk" FOREIGN KEY ("operation_id") REFERENCES "public"."operations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_records_created_at" ON "idempotency_records" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "operation_rows_status" ON "operation_rows" USING btree ("operation_id","status","index");--> statement-breakpoint
CREATE INDEX "operations_status" ON "operations" USING btree ("status","created_at");