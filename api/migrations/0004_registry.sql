CREATE TABLE "allocation_chunks" (
	"certificate" integer NOT NULL,
	"chunk" integer NOT NULL,
	"leaves" "bytea" NOT NULL,
	CONSTRAINT "allocation_chunks_certificate_chunk_pk" PRIMARY KEY("certificate","chunk")
);
--> statement-breakpoint
CREATE TABLE "certificate_credentials" (
	"credential_hash" text PRIMARY KEY NOT NULL,
	"certificate_id" text NOT NULL,
	"issuer" text NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "certificate_drafts" (
	"draft_id" text PRIMARY KEY NOT NULL,
	"certificate_id" text NOT NULL,
	"registration" jsonb NOT NULL,
	"leaves" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "certificates" (
	"certificate_id" text PRIMARY KEY NOT NULL,
	"certificate" integer NOT NULL,
	"implementer" integer NOT NULL,
	"plan" integer NOT NULL,
	"facts" jsonb NOT NULL,
	"transaction_hash" text NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "certificates_certificate_unique" UNIQUE("certificate")
);
--> statement-breakpoint
CREATE TABLE "households" (
	"hash" text PRIMARY KEY NOT NULL,
	"did" text NOT NULL,
	"household" integer,
	"account" text,
	"region" text,
	"men" integer,
	"women" integer,
	"children" integer,
	"elderly" integer,
	"registered_by" text,
	"transaction_hash" text,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "implementers" (
	"did" text PRIMARY KEY NOT NULL,
	"implementer" integer NOT NULL,
	"name" text NOT NULL,
	"transaction_hash" text NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "implementers_implementer_unique" UNIQUE("implementer")
);
--> statement-breakpoint
CREATE TABLE "issuers" (
	"did" text PRIMARY KEY NOT NULL,
	"credential_types" text[] NOT NULL,
	"valid_from" bigint NOT NULL,
	"valid_until" bigint NOT NULL,
	"transaction_hash" text NOT NULL,
	"block_number" bigint NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "monitoring_plans" (
	"plan_id" text PRIMARY KEY NOT NULL,
	"plan" integer NOT NULL,
	"implementer" integer NOT NULL,
	"terms" jsonb NOT NULL,
	"transaction_hash" text NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "monitoring_plans_plan_unique" UNIQUE("plan")
);
--> statement-breakpoint
CREATE TABLE "products" (
	"product_id" text PRIMARY KEY NOT NULL,
	"product" integer NOT NULL,
	"implementer" integer NOT NULL,
	"name" text NOT NULL,
	"category" text NOT NULL,
	"unit" text NOT NULL,
	"max_amount" bigint NOT NULL,
	"transaction_hash" text NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "products_product_unique" UNIQUE("product")
);
--> statement-breakpoint
CREATE TABLE "suppliers" (
	"did" text PRIMARY KEY NOT NULL,
	"supplier" integer NOT NULL,
	"name" text NOT NULL,
	"region" text,
	"transaction_hash" text NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "suppliers_supplier_unique" UNIQUE("supplier")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "households_household" ON "households" USING btree ("household");