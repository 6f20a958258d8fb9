CREATE TABLE "file_versions" (
	"file_id" text NOT NULL,
	"version" integer NOT NULL,
	"sealed_version" integer NOT NULL,
	"blob" text NOT NULL,
	"size" bigint NOT NULL,
	"version_key" "bytea" NOT NULL,
	"details" "bytea" NOT NULL,
	"cid_tag" "bytea" NOT NULL,
	"label" text,
	"pinned" boolean DEFAULT false NOT NULL,
	"written_at" timestamp with time zone NOT NULL,
	"written_by" text NOT NULL,
	CONSTRAINT "file_versions_file_id_version_pk" PRIMARY KEY("file_id","version")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"namespace" text NOT NULL,
	"path" text collate "C" NOT NULL,
	"version" integer NOT NULL,
	"retained" integer DEFAULT 1 NOT NULL,
	"hidden" boolean DEFAULT false NOT NULL,
	"public" boolean DEFAULT false NOT NULL,
	"key_group" text NOT NULL,
	"file_key" "bytea" NOT NULL,
	"sealed_version" integer NOT NULL,
	"blob" text NOT NULL,
	"size" bigint NOT NULL,
	"version_key" "bytea" NOT NULL,
	"details" "bytea" NOT NULL,
	"cid_tag" "bytea" NOT NULL,
	"label" text,
	"pinned" boolean DEFAULT false NOT NULL,
	"word_tags" integer[],
	"created_at" timestamp with time zone NOT NULL,
	"created_by" text NOT NULL,
	"written_at" timestamp with time zone NOT NULL,
	"written_by" text NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"trashed_at" timestamp with time zone,
	CONSTRAINT "files_retained" CHECK (retained between 1 and 50)
);
--> statement-breakpoint
CREATE TABLE "folder_flags" (
	"namespace" text NOT NULL,
	"path" text collate "C" NOT NULL,
	"hidden" boolean DEFAULT false NOT NULL,
	"public" boolean DEFAULT false NOT NULL,
	CONSTRAINT "folder_flags_namespace_path_pk" PRIMARY KEY("namespace","path")
);
--> statement-breakpoint
CREATE TABLE "namespaces" (
	"namespace" text PRIMARY KEY NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"files" bigint DEFAULT 0 NOT NULL,
	"versions" bigint DEFAULT 0 NOT NULL,
	"audit_sequence" bigint DEFAULT 0 NOT NULL,
	"audit_head" "bytea"
);
--> statement-breakpoint
CREATE TABLE "purge_receipts" (
	"file_id" text PRIMARY KEY NOT NULL,
	"namespace" text NOT NULL,
	"receipt" text NOT NULL,
	"blobs" jsonb NOT NULL,
	"purged_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file_versions" ADD CONSTRAINT "file_versions_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_versions_cid_tag" ON "file_versions" USING btree ("cid_tag");--> statement-breakpoint
CREATE UNIQUE INDEX "files_live_path" ON "files" USING btree ("namespace","path") WHERE trashed_at is null;--> statement-breakpoint
CREATE INDEX "files_trashed" ON "files" USING btree ("namespace","trashed_at") WHERE trashed_at is not null;--> statement-breakpoint
CREATE INDEX "files_cid_tag" ON "files" USING btree ("cid_tag");--> statement-breakpoint
CREATE INDEX "files_key_group" ON "files" USING btree ("key_group");--> statement-breakpoint
CREATE INDEX "files_word_tags" ON "files" USING gin ("word_tags");--> statement-breakpoint
CREATE INDEX "purge_receipts_namespace" ON "purge_receipts" USING btree ("namespace","purged_at");