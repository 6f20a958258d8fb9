CREATE TABLE "phone_gateways" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"secret_hash" text NOT NULL,
	"key_id" text NOT NULL,
	"sealed_key" text NOT NULL,
	"sealed_sms" text,
	"sources" text[] NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "phone_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"sealed_number" text NOT NULL,
	"sealed_text" text NOT NULL,
	"status" text NOT NULL,
	"gateway_message_id" text,
	"tries" bigint NOT NULL,
	"next_try_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "phone_requests" (
	"request_id" text PRIMARY KEY NOT NULL,
	"household_hash" text NOT NULL,
	"voucher_id" text NOT NULL,
	"supplier_did" text NOT NULL,
	"product_id" text NOT NULL,
	"amount" bigint NOT NULL,
	"status" text NOT NULL,
	"redemption_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "phones" (
	"number_hash" text PRIMARY KEY NOT NULL,
	"sealed_number" text NOT NULL,
	"household_hash" text NOT NULL,
	"sealed_household" text NOT NULL,
	"language" text NOT NULL,
	"stopped_at" timestamp with time zone,
	"registered_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ussd_steps" (
	"session_hash" text NOT NULL,
	"text_hash" text NOT NULL,
	"sealed_answer" text,
	"request_id" text,
	"started_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ussd_steps_session_hash_text_hash_pk" PRIMARY KEY("session_hash","text_hash")
);
--> statement-breakpoint
CREATE INDEX "phone_messages_due" ON "phone_messages" USING btree ("status","next_try_at");--> statement-breakpoint
CREATE INDEX "phone_messages_gateway" ON "phone_messages" USING btree ("gateway_message_id");--> statement-breakpoint
CREATE INDEX "phone_requests_household" ON "phone_requests" USING btree ("household_hash","created_at");--> statement-breakpoint
CREATE INDEX "phones_household" ON "phones" USING btree ("household_hash");--> statement-breakpoint
CREATE INDEX "ussd_steps_started" ON "ussd_steps" USING btree ("started_at");