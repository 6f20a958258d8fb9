// Shapes of answers that the console declares for itself, as it imports nothing of the API and the indexer. They are compared when
// types are checked: a field that an answer loses or renames while a page reads it is an error here.
import type { z } from "zod";
import type * as Files from "../../api/files/http/responses.ts";
import type { revocation } from "../../api/files/http/routes/revocation-routes.ts";
import type { RuleDetail as BrokenRule } from "../../api/platform/errors.ts";
import type { KeyHolder as ToldHolder } from "../../api/platform/keys/schemas.ts";
import type { StartedOperation as Started, Operation as ToldOperation } from "../../api/platform/operations/schemas.ts";
import type { CreatedSession } from "../../api/platform/sessions/schemas.ts";
import type { CampaignResultAnswer } from "../../api/scheme/campaigns/result/schemas.ts";
import type { voucherStatuses } from "../../api/scheme/vouchers/schemas.ts";
import type { tableNames } from "../../indexer/lib/aef/fields.ts";
import type { AefNotes } from "../../indexer/lib/aef/json.ts";
import type { AefRequest } from "../../indexer/lib/aef/report.ts";
import type { Problem, Unchecked } from "../../indexer/lib/aef/validate.ts";
import type { CampaignStatus } from "../../indexer/schema/campaigns.ts";
import type { CertificateStatus } from "../../indexer/schema/certificates.ts";
import type { ClaimStatus } from "../../indexer/schema/claims.ts";
import type { ConversionStatus, ItmoBlockStatus } from "../../indexer/schema/itmo-words.ts";
import type { ImplementerDebtKind } from "../../indexer/schema/participants.ts";
import type { VoucherStatus } from "../../indexer/schema/vouchers.ts";
import type { Link, Relation, End as ToldEnd } from "../../indexer/src/api/links.ts";
import type { presentActivity } from "../../indexer/src/api/present.ts";
import type { trace } from "../../indexer/src/api/trace.ts";
import type { RuleDetail } from "../../web/src/api/error.ts";
import type { Operation, StartedOperation } from "../../web/src/api/operation.ts";
import type * as Read from "../../web/src/files/file-types.ts";
import type { en } from "../../web/src/i18n/en.ts";
import type { Report, TableName } from "../../web/src/regulator/aef/report.ts";
import type { Group, Reduction, Result } from "../../web/src/regulator/campaigns/result.ts";
import type { End, Trace, TraceEvent, TraceLink } from "../../web/src/regulator/trace/report.ts";
import type { KeyHolder, Standing } from "../../web/src/session/session.ts";
import type { IsTrue, Reads, SameNames, SameWords, Takes } from "./compare.ts";

type Item<Page extends z.ZodType<{ items: unknown[] }>> = z.output<Page>["items"][number];
type File = z.output<typeof Files.fileMetadata>;
type Versions = z.output<typeof Files.versionList>;
type Tree = Item<typeof Files.treeResponse>;
type Folder = Extract<Tree, { kind: "folder" }>;
type Batch = z.output<typeof Files.batchResponse>;

export type CheckedOfFiles = [
  IsTrue<SameNames<Read.FileMetadata, File>>,
  Takes<Read.FileMetadata, File>,
  IsTrue<SameNames<Read.FolderEntry, Folder>>,
  Takes<Read.TreeEntry, Tree>,
  IsTrue<SameNames<Read.VersionEntry, Versions["versions"][number]>>,
  Takes<Read.VersionList, Versions>,
  IsTrue<Reads<Read.VersionDiff, z.output<typeof Files.versionDiff>>>,
  Takes<Read.VersionDiff, z.output<typeof Files.versionDiff>>,
  IsTrue<SameNames<Read.Usage, z.output<typeof Files.usage>>>,
  Takes<Read.Usage, z.output<typeof Files.usage>>,
  IsTrue<SameNames<Read.FolderMarks, z.output<typeof Files.folderMarks>>>,
  Takes<Read.FolderMarks, z.output<typeof Files.folderMarks>>,
  IsTrue<SameNames<Read.PrunedVersions, z.output<typeof Files.prunedVersions>>>,
  Takes<Read.PrunedVersions, z.output<typeof Files.prunedVersions>>,
  IsTrue<SameNames<Read.PurgedFile, z.output<typeof Files.purgedFile>>>,
  Takes<Read.PurgedFile, z.output<typeof Files.purgedFile>>,
  IsTrue<Reads<Read.BatchAnswer["results"][number], Batch["results"][number]>>,
  Takes<Read.BatchAnswer, Batch>,
  IsTrue<Reads<Read.FileEvent, Item<typeof Files.eventPage>>>,
  Takes<Read.FileEvent, Item<typeof Files.eventPage>>,
  IsTrue<SameNames<Read.SearchHit, Item<typeof Files.searchPage>>>,
  Takes<Read.SearchHit, Item<typeof Files.searchPage>>,
  IsTrue<SameNames<Read.Revocation, z.output<typeof revocation>>>,
  Takes<Read.Revocation, z.output<typeof revocation>>,
];

export type CheckedOfSessions = [
  IsTrue<SameNames<KeyHolder, ToldHolder>>,
  Takes<KeyHolder, ToldHolder>,
  IsTrue<Reads<Standing & { token: string }, CreatedSession>>,
  Takes<Standing & { token: string }, CreatedSession>,
  IsTrue<SameWords<Standing["actsAs"], CreatedSession["actsAs"]>>,
  IsTrue<Reads<Operation, ToldOperation>>,
  Takes<Operation, ToldOperation>,
  IsTrue<Reads<StartedOperation, Started>>,
  IsTrue<SameNames<RuleDetail, BrokenRule>>,
];

type ToldTrace = Awaited<ReturnType<typeof trace>>;
type ToldEvent = ReturnType<typeof presentActivity>;

export type CheckedOfReports = [
  IsTrue<Reads<Trace, ToldTrace>>,
  Takes<Trace["type"], ToldTrace["type"]>,
  IsTrue<SameNames<End, ToldEnd>>,
  IsTrue<SameWords<End["type"], ToldEnd["type"]>>,
  IsTrue<SameNames<TraceLink, Link>>,
  Takes<TraceLink, Link>,
  IsTrue<Reads<TraceEvent, ToldEvent>>,
  IsTrue<SameWords<TableName, (typeof tableNames)[number]>>,
  IsTrue<Reads<Omit<Report, "tables" | "validation" | "unchecked">, AefNotes & AefRequest>>,
  IsTrue<SameNames<Report["validation"][number], Problem>>,
  IsTrue<SameNames<Report["unchecked"][number], Unchecked>>,
  IsTrue<Reads<Result, CampaignResultAnswer>>,
  Takes<Result, CampaignResultAnswer>,
  IsTrue<Reads<Group, CampaignResultAnswer["groups"]["reference"]>>,
  IsTrue<Reads<Reduction, CampaignResultAnswer["emissions"]["reductions"][number]>>,
];

type Words = typeof en.state;

/** Every state that the index has is a word in every language, and so is every step of a trace. */
export type CheckedOfStates = [
  IsTrue<SameWords<keyof Words["certificate"], CertificateStatus>>,
  // The API says of a voucher that it has expired, the index that its rest was swept.
  IsTrue<SameWords<keyof Words["voucher"], VoucherStatus | (typeof voucherStatuses)[number]>>,
  IsTrue<SameWords<keyof Words["claim"], ClaimStatus>>,
  IsTrue<SameWords<keyof Words["campaign"], CampaignStatus>>,
  IsTrue<SameWords<keyof Words["implementerDebt"], ImplementerDebtKind>>,
  IsTrue<SameWords<keyof Words["conversion"], ConversionStatus>>,
  IsTrue<SameWords<keyof Words["itmoBlock"], ItmoBlockStatus>>,
  IsTrue<SameWords<keyof typeof en.relation, Relation>>,
];
