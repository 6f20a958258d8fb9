import { lazy } from "react";
import type { Role } from "../../session/session.ts";
import { useSession } from "../../session/session.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { SchemeFigures } from "./scheme-figures.tsx";
import { useOverview } from "./use-overview.ts";
import { Waiting } from "./waiting.tsx";

// Each is for some roles only.
const SupplierFigures = lazy(async () => ({ default: (await import("./supplier-figures.tsx")).SupplierFigures }));
const FieldProgress = lazy(async () => ({ default: (await import("./field-progress.tsx")).FieldProgress }));
const FieldSync = lazy(async () => ({ default: (await import("./field-sync.tsx")).FieldSync }));

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
      {data?.supplier && (
        <WhenLoaded>
          <SupplierFigures supplier={data.supplier} />
        </WhenLoaded>
      )}
      {role !== "supplier" && role !== "implementer" && <SchemeFigures />}
      {/* Below what is there already, so that nothing moves when the overview comes. */}
      {isWaiting && <Loading />}
      {!isWaiting && <Waiting overview={data} />}
      {role === "implementer" && !isWaiting && (
        <WhenLoaded>
          <FieldSync />
        </WhenLoaded>
      )}
      {data !== undefined && (role === "implementer" || data.campaigns.length > 0) && (
        <WhenLoaded>
          <FieldProgress campaigns={data.campaigns} pathOf={(id) => campaignPath(role, id)} />
        </WhenLoaded>
      )}
      {role === "implementer" && !isWaiting && <SchemeFigures />}
    </>
  );
}

function campaignPath(role: Role | undefined, id: string): string {
  const area = role === "implementer" || role === "admin" ? "implementer" : "regulator";
  return `/${area}/campaigns/${encodeURIComponent(id)}`;
}
