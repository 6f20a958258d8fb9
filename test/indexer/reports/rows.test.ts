/** The reports that read the indexer's rows, in one process: its imports and its database cost more than the tests. */
import { after } from "node:test";
import { shareReportDatabase } from "./database.ts";
import "./aef-read-suite.ts";
import "./corsia-suite.ts";
import "./double-counting-suite.ts";
import "./emissions-balance-suite.ts";
import "./exceptions-suite.ts";
import "./ndc-accounting-suite.ts";
import "./reconciliation-suite.ts";

after(async () => (await shareReportDatabase()).close());
