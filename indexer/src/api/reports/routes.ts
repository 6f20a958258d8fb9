import { Hono } from "hono";
import { aefRoutes } from "./aef.ts";
import { corsiaRoutes } from "./corsia.ts";
import { doubleCountingRoutes } from "./double-counting.ts";
import { emissionsBalanceRoutes } from "./emissions-balance.ts";
import { exceptionsRoutes } from "./exceptions.ts";
import { ndcAccountingRoutes } from "./ndc-accounting.ts";
import { reconciliationRoutes } from "./reconciliation.ts";
import { summaryRoutes } from "./summary.ts";

/** The regulator's reports, except the trace. */
export const regulatorRoutes = new Hono();
regulatorRoutes.route("/", aefRoutes);
regulatorRoutes.route("/", corsiaRoutes);
regulatorRoutes.route("/", doubleCountingRoutes);
regulatorRoutes.route("/", emissionsBalanceRoutes);
regulatorRoutes.route("/", exceptionsRoutes);
regulatorRoutes.route("/", ndcAccountingRoutes);
regulatorRoutes.route("/", reconciliationRoutes);
regulatorRoutes.route("/", summaryRoutes);
