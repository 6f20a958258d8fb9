CREATE TABLE "code_sets" (
	"code_set_id" text PRIMARY KEY NOT NULL,
	"implementer_did" text NOT NULL,
	"certificate" integer NOT NULL,
	"batch_id" text NOT NULL,
	"language" text NOT NULL,
	"codes_per_voucher" integer NOT NULL,
	"sealed_seed" text,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "code_trees" (
	"root" text PRIMARY KEY NOT NULL,
	"code_set_id" text NOT NULL,
	"first_leaf" integer NOT NULL,
	"households" jsonb NOT NULL,
	"keys" "bytea" NOT NULL,
	"nodes" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offline_orders" (
	"order_key" text PRIMARY KEY NOT NULL,
	"household" integer NOT NULL,
	"amount" bigint NOT NULL,
	"accepted_at" timestamp with time zone NOT NULL,
	"arrived_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "code_trees_place" ON "code_trees" USING btree ("code_set_id","first_leaf");--> statement-breakpoint
CREATE INDEX "offline_orders_household" ON "offline_orders" USING btree ("household","arrived_at");