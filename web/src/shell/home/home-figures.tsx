import type { Role } from "../../session/session.ts";
import { useSession } from "../../session/session.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { FieldProgress } from "./field-progress.tsx";
import { SchemeFigures } from "./scheme-figures.tsx";
import { SupplierFigures } from "./supplier-figures.tsx";
import { useOverview } from "./use-overview.ts";
import { Waiting } from "./waiting.tsx";

/** The figures of the person's role, and what waits to be done. */
export function HomeFigures() {
  const { key } = useSession();
  const role = key?.holder.role;
  const overview = useOverview();
  const { data } = overview;
  const isWaiting = key !== undefined && overview.isPending;
  return (
    <>
      {overview.isError && <ErrorNotice error={overview.error} onRetry={() => void overview.refetch()} />}
      {isWaiting && <Loading />}
      {data?.supplier && <SupplierFigures supplier={data.supplier} />}
      {role !== "supplier" && role !== "implementer" && <SchemeFigures />}
      {!isWaiting && <Waiting overview={data} />}
      {data !== undefined && (role === "implementer" || data.campaigns.length > 0) && (
        <FieldProgress campaigns={data.campaigns} pathOf={(id) => campaignPath(role, id)} />
      )}
      {role === "implementer" && <SchemeFigures />}
    </>
  );
}

function campaignPath(role: Role | undefined, id: string): string {
  const area = role === "implementer" || role === "admin" ? "implementer" : "regulator";
  return `/${area}/campaigns/${encodeURIComponent(id)}`;
}
