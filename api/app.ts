import type { Deps } from "./compose.ts";
import { mountFiles, mountUploadOptions, upkeepRoutes } from "./files/index.ts";
import { contractActions, mountOracle } from "./oracle/index.ts";
import { devRoutes } from "./platform/dev/routes.ts";
import { eventRoutes } from "./platform/events/routes.ts";
import type { App } from "./platform/http/context.ts";
import { identityRoutes } from "./platform/identity/routes.ts";
import { keyRoutes } from "./platform/keys/routes.ts";
import { operationRoutes } from "./platform/operations/routes.ts";
import { createBaseApp, mount } from "./platform/server/base-app.ts";
import { mountConsole } from "./platform/server/console.ts";
import { sessionRoutes } from "./platform/sessions/routes.ts";
import type { PrepareAction } from "./platform/transactions/action.ts";
import { transactionRoutes } from "./platform/transactions/routes.ts";
import { webhookRoutes } from "./platform/webhooks/routes.ts";
import { isPublicDraw } from "./scheme/campaigns/public-draw.ts";
import { campaignResultRoutes } from "./scheme/campaigns/result/routes.ts";
import { campaignRoutes } from "./scheme/campaigns/routes.ts";
import { certificateRoutes } from "./scheme/certificates/routes.ts";
import { claimActions } from "./scheme/claims/prepare.ts";
import { claimRoutes } from "./scheme/claims/routes.ts";
import { publicPaths } from "./scheme/credentials/public-paths.ts";
import { credentialRoutes } from "./scheme/credentials/routes.ts";
import { emissionRoutes } from "./scheme/emissions/routes.ts";
import { councilPaths } from "./scheme/governance/public-paths.ts";
import { governanceRoutes } from "./scheme/governance/routes.ts";
import { itmoActions } from "./scheme/itmo/prepare.ts";
import { proofRoutes } from "./scheme/itmo/proof/routes.ts";
import { itmoRoutes } from "./scheme/itmo/routes.ts";
import { kptClaimKind } from "./scheme/kpt/claim-kind.ts";
import { evidenceRoutes } from "./scheme/kpt/evidence-routes.ts";
import { kptRoutes } from "./scheme/kpt/routes.ts";
import { debtActions } from "./scheme/pool/debt-payments.ts";
import { poolActions } from "./scheme/pool/prepare.ts";
import { poolRoutes } from "./scheme/pool/routes.ts";
import { receiptRoutes } from "./scheme/receipts/routes.ts";
import { registryRoutes } from "./scheme/registry/routes.ts";
import { voucherListRoutes } from "./scheme/vouchers/list-routes.ts";
import { voucherActions } from "./scheme/vouchers/prepare.ts";
import { redemptionRoutes } from "./scheme/vouchers/redemption-routes.ts";
import { redemptionTermsRoutes } from "./scheme/vouchers/redemption-terms-routes.ts";
import { voucherRoutes } from "./scheme/vouchers/routes.ts";

/** What `POST /v1/transactions/prepare` offers. */
function actionsOf(deps: Deps): PrepareAction[] {
  return [
    ...voucherActions(deps),
    ...claimActions(deps),
    ...poolActions(deps),
    ...itmoActions(deps),
    ...debtActions(deps),
    ...contractActions(deps.oracle),
  ];
}

/** The whole HTTP surface over the given dependencies. Pure: it opens nothing and reads no environment. */
export function createApp(deps: Deps): App {
  const app = createBaseApp(deps, {
    keyless: [...publicPaths, ...councilPaths, isPublicDraw, "/v1/pool"],
    sessions: deps.sessions.verifier,
    beforeCors: (base) => mountUploadOptions(base, deps.config.files),
  });
  // One line per feature. Routes come from createRouter(); all are below /v1 except those of the file store.
  mount(app, keyRoutes(deps));
  mount(app, sessionRoutes(deps));
  mount(app, operationRoutes(deps));
  for (const routes of registryRoutes(deps)) mount(app, routes);
  mount(app, certificateRoutes(deps));
  mount(app, voucherListRoutes(deps));
  mount(app, voucherRoutes(deps));
  mount(app, redemptionRoutes(deps));
  mount(app, redemptionTermsRoutes(deps));
  mount(app, transactionRoutes(deps, actionsOf(deps)));
  mount(app, claimRoutes(deps, [kptClaimKind(deps)]));
  mount(app, kptRoutes(deps));
  mount(app, campaignRoutes(deps));
  mount(app, campaignResultRoutes(deps));
  mount(app, poolRoutes(deps));
  for (const routes of itmoRoutes(deps)) mount(app, routes);
  mount(app, credentialRoutes(deps));
  mount(app, evidenceRoutes(deps));
  mount(app, emissionRoutes());
  mount(app, governanceRoutes(deps));
  mount(app, eventRoutes(deps));
  mount(app, webhookRoutes(deps));
  mount(app, proofRoutes(deps));
  mount(app, receiptRoutes(deps));
  mount(app, devRoutes(deps));
  mount(app, upkeepRoutes(deps.files.upkeep));
  app.route("/", identityRoutes(deps.files.identity));
  mountFiles(app, deps);
  mountOracle(app, deps.oracle);
  mountConsole(app);
  deps.ownApp.serve(app.fetch);
  return app;
}
