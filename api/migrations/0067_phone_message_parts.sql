CREATE TABLE "phone_message_parts" (
	"gateway_id" text NOT NULL,
	"gateway_message_id" text NOT NULL,
	"message_id" text,
	"status" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "phone_message_parts_gateway_id_gateway_message_id_pk" PRIMARY KEY("gateway_id","gateway_message_id")
);
--> statement-breakpoint
CREATE TABLE "phone_received" (
	"gateway_id" text NOT NULL,
	"gateway_message_id" text NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	CONSTRAINT "phone_received_gateway_id_gateway_message_id_pk" PRIMARY KEY("gateway_id","gateway_message_id")
);
--> statement-breakpoint
DROP INDEX "phone_messages_gateway";--> statement-breakpoint
CREATE INDEX "phone_message_parts_message" ON "phone_message_parts" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "phone_message_parts_created" ON "phone_message_parts" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "phone_received_at" ON "phone_received" USING btree ("received_at");--> statement-breakpoint
ALTER TABLE "phone_messages" DROP COLUMN "gateway_message_id";