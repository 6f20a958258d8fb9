import { db } from "ponder:api";
import { Hono } from "hono";
import { client } from "ponder";
import * as schema from "../../ponder.schema.ts";

const app = new Hono();
app.use("/sql/*", client({ db, schema }));

export default app;
